// A member whose loss is no longer a number stops, keeps its best weights and says so.
#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "engine/problems.h"
#include "hone/engine/embedding_trainer.h"
#include "hone/engine/trainer.h"

namespace hone {
namespace {

using test::GaussianProblem;

bool all_finite(std::span<const float> values) {
  return std::ranges::all_of(values, [](float v) { return std::isfinite(v); });
}

TrainingOptions few_epochs() {
  TrainingOptions options;
  options.batch_size = 64;
  options.max_epochs = 6;
  return options;
}
const NetworkOptions kNetwork{.hidden = 16, .depth = 1};
const EmbeddingOptions kNone, kLinear{.kind = EmbeddingKind::linear, .features = 6, .hidden = {}};

// Column 1 of theta has a validation value so far out that its standard score overflows.
GaussianProblem with_overflow_in_column_1() {
  GaussianProblem problem(700, 150, Rng(1));
  for (Index i = 0; i < problem.theta.rows(); ++i) problem.theta(i, 1) *= 0.01F;
  problem.theta(600, 1) = 3e38F;
  return problem;
}

TEST(Divergence, OfOneMemberIsReportedAndLeavesTheOthersAsTheyAre) {
  const GaussianProblem problem = with_overflow_in_column_1();
  const TrainingData data = problem.data();
  const auto all =
      train(data, {{{0}, 0}, {{1}, 0}, {{2}, 0}}, kNetwork, kNone, few_epochs(), Rng(2));
  const auto others = train(data, {{{0}, 0}, {{2}, 0}}, kNetwork, kNone, few_epochs(), Rng(2));
  EXPECT_EQ(all.histories[1].stop, StopReason::diverged);
  EXPECT_EQ(all.histories[1].best_epoch, 0);
  EXPECT_TRUE(all_finite(all.stack.parameters(1)));
  for (const auto& [k, alone] : {std::pair<Index, Index>{0, 0}, {2, 1}}) {
    EXPECT_EQ(all.histories[std::size_t(k)].stop, StopReason::max_epochs);
    EXPECT_TRUE(std::ranges::equal(all.stack.parameters(k), others.stack.parameters(alone)));
  }
}

TEST(Divergence, OfOneMemberDoesNotReachTheOthersThroughASharedEmbedding) {
  const GaussianProblem problem = with_overflow_in_column_1();
  const TrainingData data = problem.data();
  const auto result =
      train(data, {{{0}, 0}, {{1}, 0}, {{2}, 0}}, kNetwork, kLinear, few_epochs(), Rng(2));
  EXPECT_EQ(result.histories[1].stop, StopReason::diverged);
  EXPECT_TRUE(all_finite(result.stack.embedding_parameters()));
  for (const std::size_t k : {std::size_t{0}, std::size_t{2}}) {
    EXPECT_EQ(result.histories[k].stop, StopReason::max_epochs);
    EXPECT_EQ(result.histories[k].validation_loss.size(), 6U);
    EXPECT_LT(result.histories[k].best_loss, std::log(4.0)) << "no better than without data";
    EXPECT_TRUE(all_finite(result.stack.parameters(Index(k))));
  }
}

TEST(Divergence, OfAGradientIsLeftOutOfTheEmbeddingsStep) {
  const GaussianProblem problem(64, 0, Rng(1));
  Matrix<float> x(64, padded(GaussianProblem::kDataSize));
  std::vector<std::vector<float>> weights;
  for (const bool overflow : {true, false}) {
    RatioStack stack({{{0}, 0}, {{1}, 0}}, kNetwork, kLinear,
                     fit_standardizer(problem.source, problem.training, "x"), {{0, 0}, {1, 1}});
    stack.x_scores().apply(x, problem.x);
    TrainingOptions options;
    options.batch_size = 64;
    EmbeddingTrainer trainer(stack, options, Rng(3));
    const Index count = 64 * trainer.forward({{}, x}).cols();
    std::fill_n(trainer.feature_gradient(0).data(), count, 0.1F);
    std::fill_n(trainer.feature_gradient(1).data(), count, std::numeric_limits<float>::infinity());
    const std::vector<Index> both{0, 1}, first{0};
    trainer.step(x, overflow ? both : first, 0.1);
    const auto parameters = stack.embedding_parameters();
    weights.emplace_back(parameters.begin(), parameters.end());
    EXPECT_TRUE(all_finite(parameters));
  }
  EXPECT_EQ(weights[0], weights[1]);
}

// Adam moves every weight by about the learning rate: 1e15 at once overflows the next loss.
TEST(Divergence, ByAHugeLearningRateKeepsFiniteWeights) {
  const GaussianProblem problem(700, 150, Rng(1));
  TrainingOptions options = few_epochs();
  options.optimizer.learning_rate = 1e15;
  NetworkOptions network = kNetwork;
  network.norm = Norm::none;
  for (const EmbeddingOptions& embedding : {kNone, kLinear}) {
    const auto result =
        train(problem.data(), {{{0}, 0}, {{0, 1}, 0}}, network, embedding, options, Rng(2));
    for (Index k = 0; k < 2; ++k) {
      EXPECT_EQ(result.histories[std::size_t(k)].stop, StopReason::diverged);
      EXPECT_FALSE(std::isfinite(result.histories[std::size_t(k)].validation_loss.back()));
      EXPECT_TRUE(all_finite(result.stack.parameters(k)));
    }
    EXPECT_TRUE(all_finite(result.stack.embedding_parameters()));
  }
}

// The rate is harmless in the first epochs of this schedule-free run and the weights of the best
// epoch are what is left at the end.
TEST(Training, KeepsTheWeightsOfTheBestEpoch) {
  const GaussianProblem problem(700, 150, Rng(1));
  TrainingOptions options = few_epochs();
  options.schedule.kind = ScheduleKind::constant;
  options.optimizer.learning_rate = 0.05;  // too large to settle: later epochs are worse
  options.max_epochs = 30;
  options.patience = 30;
  const auto longer = train(problem.data(), {{{0}, 0}}, kNetwork, kNone, options, Rng(2));
  const MemberHistory& history = longer.histories[0];
  ASSERT_LT(history.best_epoch, 30);
  EXPECT_EQ(float(history.best_loss), std::ranges::min(history.validation_loss));
  EXPECT_EQ(history.validation_loss[std::size_t(history.best_epoch - 1)], float(history.best_loss));
  options.max_epochs = history.best_epoch;
  const auto shorter = train(problem.data(), {{{0}, 0}}, kNetwork, kNone, options, Rng(2));
  EXPECT_TRUE(std::ranges::equal(longer.stack.parameters(0), shorter.stack.parameters(0)));
}

}  // namespace
}  // namespace hone
