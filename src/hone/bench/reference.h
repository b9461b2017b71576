#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/tasks/task.h"

namespace hone {

// Observation number k of a task, and draws from its posterior.
struct BenchReference {
  std::vector<double> observation;
  Matrix<double> samples;  // (n, parameters)
};

// Where they come from.
//
// Files, in the layout of sbibm: <data>/<task>/files/num_observation_<k>/ with observation.csv and
// reference_posterior_samples.csv or .csv.bz2. slcp_distractors shares the posterior of slcp, and
// may have its data there too, as observation_distractors.csv.
//
// Without a directory the task's own: observation 1 is its default, the others are simulated from
// draws of the prior with the seed kObservationSeed; the samples are those of Task::reference.
class ReferenceSource {
 public:
  static constexpr std::uint64_t kObservationSeed = 2107;

  explicit ReferenceSource(std::filesystem::path data = {});

  std::string name() const;  // as in BenchCase::reference

  // Error{input} if there is no such observation; reads nothing but file names.
  void check(const std::string& task, int observation) const;

  // Read or drawn once, then remembered. Thread-safe.
  std::shared_ptr<const BenchReference> get(const std::string& task, int observation);

 private:
  std::filesystem::path data_;
  std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::shared_ptr<const BenchReference>> known_;
};

}  // namespace hone
