#include "hone/mpi/row_scheduler.h"

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

RowScheduler::RowScheduler(Index rows, int ranks)
    : ranks_(static_cast<std::size_t>(ranks)), total_(rows) {}

void RowScheduler::join(int rank, int threads) {
  Rank& one = ranks_[static_cast<std::size_t>(rank)];
  threads_ += threads - one.threads;
  one.threads = one.most = threads;
}

Index RowScheduler::wanted(const Rank& rank) const {
  if (rank.seconds_per_row == 0) return rank.threads;
  if (rank.seconds_per_row > kLong) return rank.threads;
  const double ahead = std::min(kSecondsAhead / rank.seconds_per_row, double(kMostAhead));
  // The rest is shared out in halves.
  const Index fair = unsent() / (2 * threads_);
  return rank.threads * (1 + std::min(static_cast<Index>(std::ceil(ahead)), fair));
}

std::vector<Index> RowScheduler::next_rows(int rank) {
  Rank& one = ranks_[static_cast<std::size_t>(rank)];
  if (one.threads == 0) return {};
  const Index wish = std::min(wanted(one), 2 * one.most);
  const Index count = std::min(wish - one.held, unsent());
  // No thread waits; but beyond that not every row goes in a message of its own.
  if (count <= 0 || (one.held >= one.threads && count < wish / 4)) return {};
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

void RowScheduler::schedule_again(const std::vector<Index>& rows) {
  again_.insert(again_.end(), rows.begin(), rows.end());
}

void RowScheduler::finished(int rank, Index rows, double seconds) {
  Rank& one = ranks_[static_cast<std::size_t>(rank)];
  one.held -= rows;
  finished_ += rows;
  const double now = std::max(seconds, 1e-9) / static_cast<double>(std::max<Index>(rows, 1));
  one.seconds_per_row =
      one.seconds_per_row == 0 ? now : (1 - kNewest) * one.seconds_per_row + kNewest * now;
}

}  // namespace hone
