// A Gaussian problem with known ratio: what train() learns agrees with the truth within kLargest,
// and a shifted truth does not.
#include <cstdio>

#include <gtest/gtest.h>

#include "engine/problems.h"
#include "hone/engine/trainer.h"

namespace hone {
namespace {

using test::GaussianProblem;

constexpr double kLargest = 0.2;  // root mean square error of a log ratio over posterior draws
constexpr double kShift = 0.3;    // of the truth in the negative control: 0.45 posterior widths

struct Experiment {
  NetworkOptions network{.hidden = 32, .depth = 1};
  EmbeddingOptions embedding;
  TrainingOptions training;
  std::vector<MemberSpec> members{{{0}, 0}};

  Experiment() {
    training.batch_size = 128;
    training.max_epochs = 20;
    training.patience = 6;
    training.optimizer.learning_rate = 3e-3;
    training.schedule.plateau_patience = 2;
    training.schedule.plateau_factor = 0.3;
  }
};

// Root mean square of learned - true log ratio of member k over posterior draws for fresh x, the
// truth taken at theta + shift. With `up_to_x`, after removing the mean over the draws of each x,
// which NRE-B leaves open.
double rms_error(const RatioStack& stack, Index k, double shift, bool up_to_x) {
  constexpr Index kData = 300, kDraws = 16;
  const GaussianProblem fresh(kData, 0, Rng(99));
  const Matrix<float> features = stack.features(fresh.x);
  const std::vector<int>& columns = stack.member(k).columns;
  Rng rng(5);
  double sum = 0;
  for (Index i = 0; i < kData; ++i) {
    Matrix<float> theta(kDraws, Index(columns.size())), learned(1, kDraws);
    std::vector<double> difference(kDraws, 0.0);
    for (Index d = 0; d < kDraws; ++d) {
      for (std::size_t j = 0; j < columns.size(); ++j) {
        const double value = fresh.posterior_draw(i, columns[j], rng);
        theta(d, Index(j)) = float(value);
        difference[std::size_t(d)] -= fresh.log_ratio(i, columns[j], value + shift);
      }
    }
    stack.log_ratios(learned, k, features.view().rows(i, 1), theta);
    double mean = 0;
    for (Index d = 0; d < kDraws; ++d) {
      difference[std::size_t(d)] += double(learned(0, d));
      mean += difference[std::size_t(d)] / kDraws;
    }
    for (const double value : difference) {
      const double rest = up_to_x ? value - mean : value;
      sum += rest * rest / (kData * kDraws);
    }
  }
  return std::sqrt(sum);
}

void expect_known_ratio(const Experiment& setup, double largest = kLargest) {
  const GaussianProblem problem(50000, 5000, Rng(1));
  const TrainingResult result =
      train(problem.data(), setup.members, setup.network, setup.embedding, setup.training, Rng(2));
  const bool up_to_x = setup.training.loss.kind == LossKind::nre_b;
  for (Index k = 0; k < result.stack.size(); ++k) {
    const double error = rms_error(result.stack, k, 0, up_to_x);
    testing::Test::RecordProperty("rms_error", std::to_string(error));
    std::printf("  member %s: rms error of the log ratio %.3f\n",
                result.stack.member(k).name().c_str(), error);
    EXPECT_LT(error, largest);
    EXPECT_GT(rms_error(result.stack, k, kShift, up_to_x), 1.5 * largest);
  }
}

struct NamedLoss {
  std::string name;
  LossOptions options;
};

class KnownRatio : public testing::TestWithParam<NamedLoss> {};

TEST_P(KnownRatio, IsLearnedWithinTheStatedErrorAndAShiftedOneIsNot) {
  Experiment setup;
  setup.training.loss = GetParam().options;
  expect_known_ratio(setup);
}

INSTANTIATE_TEST_SUITE_P(
    Losses, KnownRatio,
    testing::Values(
        NamedLoss{"nre_a", {}}, NamedLoss{"nre_a_balanced", {.balance = 10}},
        NamedLoss{"nre_b", {.kind = LossKind::nre_b, .negatives = 5}},
        NamedLoss{"nre_b_balanced", {.kind = LossKind::nre_b, .negatives = 5, .balance = 10}},
        NamedLoss{"nre_c", {.kind = LossKind::nre_c, .negatives = 5}},
        NamedLoss{"nre_c_balanced", {.kind = LossKind::nre_c, .negatives = 5, .balance = 10}}),
    [](const auto& tested) { return tested.param.name; });

TEST(KnownRatio, OfTwoParametersIsLearned) {
  Experiment setup;
  setup.members = {{{0, 2}, 0}};
  setup.training.loss = {.kind = LossKind::nre_c, .negatives = 5};
  expect_known_ratio(setup, 0.25);
}

TEST(KnownRatio, IsLearnedByAnMlpWithLayerNormAndSilu) {
  Experiment setup;
  setup.network = {.kind = NetworkKind::mlp,
                   .hidden = 32,
                   .depth = 2,
                   .activation = Activation::silu,
                   .norm = Norm::layer};
  expect_known_ratio(setup);
}

TEST(KnownRatio, IsLearnedByBothKindsOfAnAlternatingEnsemble) {
  Experiment setup;
  setup.network.norm = Norm::alternate;
  setup.network.activation = Activation::silu;
  setup.members = {{{0}, 0}, {{0}, 1}};
  expect_known_ratio(setup);
}

TEST(KnownRatio, IsLearnedWithAdamwCosineAveragingAndClipping) {
  Experiment setup;
  setup.training.optimizer.kind = OptimizerKind::adamw;
  setup.training.optimizer.weight_decay = 1e-3;
  setup.training.optimizer.clip_norm = 1;
  setup.training.schedule.kind = ScheduleKind::cosine;
  setup.training.weight_average = 0.99;
  setup.training.patience = 25;
  expect_known_ratio(setup);
}

TEST(KnownRatio, IsLearnedThroughASharedEmbeddingByMembersOfOneAndTwoColumns) {
  Experiment setup;
  setup.embedding = {.kind = EmbeddingKind::linear, .features = 4, .hidden = {}};
  setup.members = {{{0}, 0}, {{1}, 0}, {{0, 2}, 0}};
  expect_known_ratio(setup, 0.25);
}

}  // namespace
}  // namespace hone
