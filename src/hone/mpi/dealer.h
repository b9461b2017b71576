#pragma once

#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// Decides how many rows each rank gets next. A rank works on one row per lane and has, if its rows
// are quick, as many more waiting as last until the next delivery; towards the end nobody has any
// waiting, so that all ranks end together although some rows take a hundred times as long as others.
class Dealer {
 public:
  Dealer(Index rows, int ranks);

  // From here on the rank takes rows, `lanes` at a time.
  void join(int rank, int lanes);

  // Rows to send to a rank now; 0: it has enough. They count as sent.
  struct Share {
    Index begin = 0, count = 0;
  };
  Share deal(int rank);
  // `rows` are back, after so many seconds of one lane.
  void finished(int rank, Index rows, double seconds);

  Index unfinished() const { return total_ - finished_; }
  Index held(int rank) const { return at(rank).held; }  // sent and not back

 private:
  struct Rank {
    Index lanes = 0;
    Index held = 0;
    Index most = 0;              // it may hold: doubles at most
    double seconds_per_row = 0;  // 0: not known yet
  };
  const Rank& at(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  Index wanted(const Rank& rank) const;

  std::vector<Rank> ranks_;
  Index total_, next_ = 0, finished_ = 0, lanes_ = 0;
};

}  // namespace hone
