// Who gets how many rows, played through on a clock of our own.
#include "hone/mpi/row_scheduler.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <vector>

#include <gtest/gtest.h>

#include "hone/core/rng.h"

namespace hone {
namespace {

// Ranks of one thread, with a message that takes `latency` each way.
struct Played {
  double seconds = 0;  // until the last row is back
  Index messages = 0;
  std::vector<int> scheduled;  // how often each row was handed out
};

Played play(int ranks, const std::vector<double>& durations, double latency) {
  struct Rank {
    double free_at = 0;
  };
  struct Return {
    double time;
    int rank;
    double duration;
    bool operator<(const Return& other) const { return time > other.time; }
  };
  RowScheduler scheduler(std::ssize(durations), ranks);
  Played played{0, 0, std::vector<int>(durations.size())};
  std::vector<Rank> all(static_cast<std::size_t>(ranks));
  std::priority_queue<Return> returns;
  double now = 0;
  const auto next_rows = [&](int r) {
    const std::vector<Index> rows = scheduler.next_rows(r);
    played.messages += !rows.empty();
    Rank& rank = all[static_cast<std::size_t>(r)];
    for (const Index i : rows) {
      ++played.scheduled[static_cast<std::size_t>(i)];
      const double duration = durations[static_cast<std::size_t>(i)];
      rank.free_at = std::max(rank.free_at, now + latency) + duration;
      returns.push({rank.free_at + latency, r, duration});
    }
  };
  for (int r = 0; r < ranks; ++r) scheduler.join(r, 1);
  for (int r = 0; r < ranks; ++r) next_rows(r);
  while (scheduler.unfinished() > 0 && !returns.empty()) {
    const Return back = returns.top();
    returns.pop();
    now = back.time;
    scheduler.finished(back.rank, 1, back.duration);
    for (int r = 0; r < ranks; ++r) next_rows(r);
  }
  EXPECT_EQ(scheduler.unfinished(), 0);
  played.seconds = now;
  return played;
}

double ideal(const std::vector<double>& durations, int ranks) {
  double sum = 0;
  for (const double d : durations) sum += d;
  return sum / ranks;
}

TEST(RowScheduler, HandsOutEveryRowOnceAndEndsTogetherThoughTimesDifferAHundredfold) {
  Rng rng(1);
  std::vector<double> durations(2000);
  for (double& d : durations) d = 0.01 * std::pow(100, rng.uniform());
  for (const int ranks : {1, 3, 16}) {
    const Played played = play(ranks, durations, 1e-3);
    EXPECT_TRUE(std::ranges::all_of(played.scheduled, [](int n) { return n == 1; }));
    EXPECT_LT(ideal(durations, ranks), played.seconds);
    EXPECT_GT(ideal(durations, ranks), 0.95 * played.seconds) << ranks;
  }
}

TEST(RowScheduler, QuickRowsGoInBatches) {
  const std::vector<double> durations(100000, 1e-5);
  const Played played = play(4, durations, 1e-3);
  EXPECT_GT(ideal(durations, 4), 0.8 * played.seconds);
  EXPECT_LT(played.messages, 1000);
}

TEST(RowScheduler, ARankThatIsNotThereGetsNothing) {
  RowScheduler scheduler(10, 3);
  scheduler.join(0, 2);
  EXPECT_TRUE(scheduler.next_rows(1).empty());
  EXPECT_EQ(scheduler.next_rows(0), (std::vector<Index>{0, 1}));
  EXPECT_EQ(scheduler.held(0), 2);
  scheduler.join(1, 4);
  EXPECT_EQ(scheduler.next_rows(1).size(), 4U);
}

TEST(RowScheduler, ARowThatComesBackWithoutAResultIsDealtAgain) {
  RowScheduler scheduler(2, 2);
  scheduler.join(0, 1);
  scheduler.join(1, 1);
  EXPECT_EQ(scheduler.next_rows(0), std::vector<Index>{0});
  EXPECT_EQ(scheduler.next_rows(1), std::vector<Index>{1});
  scheduler.returned(0, 1);
  EXPECT_TRUE(scheduler.next_rows(0).empty());
  scheduler.schedule_again({0});
  EXPECT_EQ(scheduler.next_rows(0), std::vector<Index>{0});
  EXPECT_EQ(scheduler.unfinished(), 2);
}

// With many threads no thread waits for the others.
TEST(RowScheduler, ALaneThatIsFreeGetsTheNextRowAtOnce) {
  RowScheduler scheduler(100, 1);
  scheduler.join(0, 8);
  EXPECT_EQ(scheduler.next_rows(0).size(), 8U);
  scheduler.finished(0, 1, 10.0);
  EXPECT_EQ(scheduler.next_rows(0).size(), 1U);
}

}  // namespace
}  // namespace hone
