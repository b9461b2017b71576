// What a training tells its observer.
#include <algorithm>

#include <gtest/gtest.h>

#include "engine/problems.h"

namespace hone {
namespace {

struct Steps final : Observer {
  void stage_started(std::string_view, Index total) override { announced = total; }
  void stage_advanced(std::string_view, Index step, Index total) override {
    EXPECT_EQ(total, announced);
    done.push_back(step);
  }
  Index announced = 0;
  std::vector<Index> done;
};

TrainingResult train_watched(int max_epochs, int patience, Observer& observer) {
  const test::GaussianProblem problem(600, 100, Rng(3));
  TrainingOptions options;
  options.optimizer.learning_rate = 0.05;
  options.batch_size = 50;
  options.max_epochs = max_epochs;
  options.patience = patience;
  NetworkOptions network;
  network.hidden = 8;
  network.depth = 1;
  return train(problem.data(), test::one_dimensional(3), network, {}, options, Rng(1), observer);
}

TEST(TrainingProgress, CountsTheEpochsOfAllMembers) {
  Steps steps;
  train_watched(4, 100, steps);
  EXPECT_EQ(steps.announced, 12);
  EXPECT_EQ(steps.done, (std::vector<Index>{3, 6, 9, 12}));
}

TEST(TrainingProgress, AMemberThatStopsEarlyHasNoEpochsLeft) {
  Steps steps;
  const TrainingResult result = train_watched(500, 2, steps);
  Index longest = 0;
  for (const MemberHistory& h : result.histories) {
    longest = std::max(longest, static_cast<Index>(h.training_loss.size()));
  }
  ASSERT_LT(longest, 500);
  EXPECT_EQ(static_cast<Index>(steps.done.size()), longest) << "one call per epoch";
  EXPECT_TRUE(std::ranges::is_sorted(steps.done));
  EXPECT_EQ(steps.done.back(), steps.announced);
}

}  // namespace
}  // namespace hone
