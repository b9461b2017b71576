#pragma once

#include <deque>
#include <optional>

#include "hone/core/matrix.h"
#include "hone/simulator/delivery.h"

namespace hone {

// One simulation on its way through an external program.
struct Job {
  Index row = 0;       // of the request
  int attempts = 0;    // that failed by its own fault
  bool alone = false;  // to be run first and alone by a new worker, so that nobody else is to blame
};

// The rows of a request in order, those given back first.
class JobQueue {
 public:
  explicit JobQueue(Index rows) : rows_(rows) {}
  bool empty() const { return returned_.empty() && next_ == rows_; }
  Index size() const { return static_cast<Index>(returned_.size()) + rows_ - next_; }
  std::optional<Job> take() {
    if (empty()) return std::nullopt;
    if (returned_.empty()) return Job{.row = next_++};
    const Job job = returned_.front();
    returned_.pop_front();
    return job;
  }
  void give_back(const Job& job) { returned_.push_front(job); }

 private:
  Index rows_;
  Index next_ = 0;
  std::deque<Job> returned_;
};

// One row with its data, or with the reason why there are none (x is then empty).
inline FinishedBlock finished_row(Index row, std::span<const double> x, Failure failure,
                                  Index data_size) {
  FinishedBlock block{row, Matrix<double>(1, data_size), {std::move(failure)}};
  std::ranges::copy(x, block.x.data());
  return block;
}

}  // namespace hone
