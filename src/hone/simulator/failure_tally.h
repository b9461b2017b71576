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
  FailureTally(const ExecutorOptions& options, Index planned);
  // Planned are the rows finished before and those of this request.
  FailureTally(const ExecutorOptions& options, const SimulationRequest& request);

  void add(const Failure& failure);

  // May be asked at any moment. True only if the fraction is above its limit for certain or by
  // four standard errors, so that the order in which rows happen to finish hardly matters.
  bool hopeless() const;
  // More have failed than may fail of all that are planned.
  bool certainly_too_many() const;
  // To be asked when all rows are finished: compares the fraction itself.
  bool too_many() const;

  // Names count, fraction and the most frequent reason. Does not depend on the order of rows.
  Error error() const;
  ExecutionSummary summary() const;

 private:
  std::pair<std::string, Index> main_reason() const;

  ExecutorOptions options_;
  Index planned_;
  bool all_failed() const { return failed_ == finished_ && !known_to_work_; }

  bool known_to_work_ = false;
  Index finished_before_ = 0;
  Index failed_before_ = 0;
  Index finished_ = 0;
  Index failed_ = 0;
  std::map<std::string, Index> reasons_;
};

}  // namespace hone
