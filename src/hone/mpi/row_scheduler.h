#pragma once

#include <iterator>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// Decides how many rows each rank gets next. A rank works on one row per thread and has, if its
// rows are quick, as many more waiting as last until the next delivery; towards the end nobody has
// any waiting, so that all ranks end together although some rows take a hundred times as long as
// others.
class RowScheduler {
 public:
  RowScheduler(Index rows, int ranks);

  // From here on the rank takes rows, `threads` at a time.
  void join(int rank, int threads);

  // Rows to send to a rank now; none: it has enough. They count as sent.
  std::vector<Index> next_rows(int rank);
  // `rows` are back, after so many seconds of one thread.
  void finished(int rank, Index rows, double seconds);
  // Back without a result.
  void returned(int rank, Index rows) { ranks_[static_cast<std::size_t>(rank)].held -= rows; }
  void schedule_again(const std::vector<Index>& rows);

  Index unfinished() const { return total_ - finished_; }
  Index unsent() const { return total_ - next_ + std::ssize(again_); }
  Index held(int rank) const { return at(rank).held; }  // sent and not back

 private:
  struct Rank {
    Index threads = 0;
    Index held = 0;
    Index most = 0;              // it may hold: doubles at most
    double seconds_per_row = 0;  // 0: not known yet
  };
  const Rank& at(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  Index wanted(const Rank& rank) const;

  std::vector<Rank> ranks_;
  std::vector<Index> again_;
  Index total_, next_ = 0, finished_ = 0, threads_ = 0;
};

}  // namespace hone
