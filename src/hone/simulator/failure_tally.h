#pragma once

#include <map>
#include <optional>
#include <string>

#include "hone/core/error.h"
#include "hone/simulator/executor.h"

namespace hone {

// Counts failures by reason and says when they are too many. Not thread-safe.
class FailureTally {
 public:
  // planned: rows finished before plus rows of this request.
  FailureTally(const ExecutorOptions& options, const SimulationRequest& request);

  void add(const Failure& failure);

  // May be asked at any moment. True only if the fraction is above its limit for certain or by
  // four standard errors, so that the order in which rows happen to finish hardly matters.
  bool hopeless() const;
  // To be asked when all rows are finished: compares the fraction itself.
  bool too_many() const;

  Error error() const;  // names count, fraction, most frequent and last reason
  ExecutionSummary summary() const;

 private:
  std::string main_reason() const;

  ExecutorOptions options_;
  Index planned_;
  Index finished_before_;
  Index failed_before_;
  Index finished_;
  Index failed_;
  std::map<std::string, Index> reasons_;
  std::string last_reason_;
};

}  // namespace hone
