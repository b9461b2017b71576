#include "hone/mpi/dealer.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

// Work that waits at a rank, in seconds: covers a round trip of messages, one or two milliseconds
// with the sleeps at both ends, many times over.
constexpr double kSecondsAhead = 50e-3;
constexpr Index kMostAhead = 65536;
// Seconds per row from which on the round trip does not matter.
constexpr double kLong = 2;
// The newest result counts this much in the time per row.
constexpr double kNewest = 0.3;

}  // namespace

Dealer::Dealer(Index rows, int ranks) : ranks_(static_cast<std::size_t>(ranks)), total_(rows) {}

void Dealer::join(int rank, int lanes) {
  Rank& one = ranks_[static_cast<std::size_t>(rank)];
  lanes_ += lanes - one.lanes;
  one.lanes = one.most = lanes;
}

Index Dealer::wanted(const Rank& rank) const {
  if (rank.seconds_per_row == 0) return rank.lanes;
  if (rank.seconds_per_row > kLong) return rank.lanes;
  const double ahead = std::min(kSecondsAhead / rank.seconds_per_row, double(kMostAhead));
  // The rest is shared out in halves.
  const Index fair = undealt() / (2 * lanes_);
  return rank.lanes * (1 + std::min(static_cast<Index>(std::ceil(ahead)), fair));
}

std::vector<Index> Dealer::deal(int rank) {
  Rank& one = ranks_[static_cast<std::size_t>(rank)];
  if (one.lanes == 0) return {};
  const Index wish = std::min(wanted(one), 2 * one.most);
  const Index count = std::min(wish - one.held, undealt());
  // No lane waits; but beyond that not every row goes in a message of its own.
  if (count <= 0 || (one.held >= one.lanes && count < wish / 4)) return {};
  one.most = wish;
  one.held += count;
  std::vector<Index> rows;
  while (std::ssize(rows) < count) {
    if (again_.empty()) {
      rows.push_back(next_++);
    } else {
      rows.push_back(again_.back());
      again_.pop_back();
    }
  }
  return rows;
}

void Dealer::deal_again(const std::vector<Index>& rows) {
  again_.insert(again_.end(), rows.begin(), rows.end());
}

void Dealer::finished(int rank, Index rows, double seconds) {
  Rank& one = ranks_[static_cast<std::size_t>(rank)];
  one.held -= rows;
  finished_ += rows;
  const double now = std::max(seconds, 1e-9) / static_cast<double>(std::max<Index>(rows, 1));
  one.seconds_per_row =
      one.seconds_per_row == 0 ? now : (1 - kNewest) * one.seconds_per_row + kNewest * now;
}

}  // namespace hone
