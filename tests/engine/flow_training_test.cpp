// Flows that are trained: known densities, bits, files and memory.
#include <array>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "engine/allocation_counter.h"
#include "engine/problems.h"
#include "hone/core/parallel.h"
#include "hone/engine/density_trainer.h"
#include "hone/engine/flow_trainer.h"

namespace hone {
namespace {

using test::GaussianProblem;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const NetworkOptions kNetwork{
    .hidden = 24, .depth = 1, .activation = Activation::silu, .norm = Norm::none};

TrainingOptions training_options(int epochs) {
  TrainingOptions options;
  options.optimizer = {.kind = OptimizerKind::adamw, .learning_rate = 5e-3, .clip_norm = 5};
  options.schedule.kind = ScheduleKind::cosine;
  options.batch_size = 64;
  options.max_epochs = options.patience = epochs;
  options.weight_average = 0.9;
  return options;
}

DensityTraining flows(DensityOf what, std::size_t columns, DensityForm form, Index transforms) {
  DensityTraining result;
  result.what = what;
  result.form = form;
  result.components = 3;
  result.bounds = {std::vector(columns, -kInfinity), std::vector(columns, kInfinity)};
  result.transforms = transforms;
  return result;
}

DensityResult trained(const GaussianProblem& problem, DensityOf what,
                      const std::vector<MemberSpec>& members, int epochs,
                      DensityForm form = DensityForm::mixture,
                      const EmbeddingOptions& embedding = {}) {
  return train_densities(problem.data(), members,
                         flows(what, what == DensityOf::data ? 6 : 3, form, 3), kNetwork, embedding,
                         training_options(epochs), Rng(2));
}

// E[-log density of the scores] of a normal variable with this part of its variance left.
double entropy(double left) {
  return 0.5 * std::log(2 * std::numbers::pi * std::numbers::e * left);
}

// Parameters are independent also in the posterior; columns 0 and 1 of the data share theta_0.
TEST(Flows, ReachTheEntropyOfAKnownProblem) {
  const GaussianProblem problem(6000, 2000, Rng(1));
  const double v = GaussianProblem::kVariance, noise2 = std::pow(GaussianProblem::kNoise, 2);
  // Two columns whose -log p has the variance 1/2 each.
  const double error = 1 / std::sqrt(2000.0);
  for (const DensityForm form : {DensityForm::mixture, DensityForm::spline}) {
    const DensityResult posterior = trained(problem, DensityOf::parameters, {{{2, 0}}}, 12, form);
    EXPECT_EQ(posterior.histories.size(), 1U);
    EXPECT_NEAR(posterior.histories[0].best_loss, 2 * entropy(v / (1 + v)), 4 * error);
    const DensityResult likelihood = trained(problem, DensityOf::data, {{{0, 1}}}, 12, form);
    EXPECT_NEAR(likelihood.histories[0].best_loss, 2 * entropy(noise2 / (1 + noise2)), 4 * error);
  }
  // The control: data that belong to other rows.
  GaussianProblem shuffled(6000, 2000, Rng(1));
  std::rotate(shuffled.theta.data(), shuffled.theta.data() + 3, shuffled.theta.data() + 6000 * 3);
  const DensityResult nothing = trained(shuffled, DensityOf::parameters, {{{2, 0}}}, 12);
  EXPECT_GT(nothing.histories[0].best_loss, 2 * entropy(v / (1 + v)) + 8 * error);
}

// y_0 = y_1^2 + 0.2 noise: column by column in this order y_0 has a long tail, and y_1 two modes.
// One Gaussian each cannot say that. Affine transforms in turn can, for the second one has y_1
// first.
TEST(Flows, SayWhatOneTransformCannot) {
  constexpr Index kRows = 6000, kValidation = 2000;
  constexpr double kNoise = 0.2;
  Matrix<float> y(kRows, 2), nothing(kRows, 1);
  std::vector<Index> training, validation;
  Rng rng(4);
  for (Index i = 0; i < kRows; ++i) {
    const double second = rng.normal();
    y(i, 0) = float(second * second + kNoise * rng.normal());
    y(i, 1) = float(second);
    nothing(i, 0) = float(rng.normal());
    (i < kRows - kValidation ? training : validation).push_back(i);
  }
  const MatrixRows x(nothing);
  const auto loss = [&](Index transforms) {
    DensityTraining densities = flows(DensityOf::parameters, 2, DensityForm::mixture, transforms);
    densities.components = 1;
    std::vector<MemberSpec> members{{{0}}, {{0, 1}}};
    if (transforms > 1) members = {{{0, 1}}};
    const DensityResult result = train_densities({x, y, training, validation}, members, densities,
                                                 kNetwork, {}, training_options(30), Rng(2));
    double sum = 0;
    for (const MemberHistory& history : result.histories) sum += history.best_loss;
    return sum;
  };
  // Of the standard scores.
  const double truth = entropy(1) + entropy(kNoise * kNoise) - 0.5 * std::log(2 + kNoise * kNoise);
  EXPECT_NEAR(loss(4), truth, 0.15);
  EXPECT_GT(loss(1), truth + 0.5) << "the control";
}

// The regression says all there is to say of this problem, before any training: the first
// transform says it, and the others change nothing.
TEST(Flows, BeginWithTheLinearRegression) {
  const GaussianProblem problem(6000, 3000, Rng(1));
  const double v = GaussianProblem::kVariance, truth = 2 * entropy(v / (1 + v));
  TrainingOptions still = training_options(1);
  still.optimizer.learning_rate = 1e-12;
  const auto first_loss = [&](const EmbeddingOptions& embedding) {
    DensityTraining densities = flows(DensityOf::parameters, 3, DensityForm::spline, 4);
    return train_densities(problem.data(), {{{0, 1}}}, densities, kNetwork, embedding, still,
                           Rng(2))
        .histories[0]
        .best_loss;
  };
  EXPECT_NEAR(first_loss({}), truth, 4 / std::sqrt(3000.0));
  // The control: behind an embedding there is no regression.
  EXPECT_GT(first_loss({.kind = EmbeddingKind::linear, .features = 4, .hidden = {}}), truth + 0.5);
}

TEST(Flows, LearnBehindAnEmbedding) {
  const GaussianProblem problem(3000, 1000, Rng(1));
  const DensityResult result =
      trained(problem, DensityOf::parameters, {{{0, 1}}}, 15, DensityForm::mixture,
              {.kind = EmbeddingKind::linear, .features = 4, .hidden = {}});
  const double v = GaussianProblem::kVariance;
  EXPECT_NEAR(result.histories[0].best_loss, 2 * entropy(v / (1 + v)), 0.24);
}

TEST(Flows, LeaveOutColumnsThatAreAlwaysTheSame) {
  GaussianProblem problem(700, 150, Rng(1));
  for (Index i = 0; i < problem.x.rows(); ++i) problem.x(i, 3) = 7;
  const DensityResult result = trained(problem, DensityOf::data, {{{2, 3, 4}}}, 2);
  EXPECT_EQ(result.stack.first_member(0).columns, (std::vector{2, 4}));
  EXPECT_TRUE(std::isfinite(result.histories[0].best_loss));
  EXPECT_THROW(trained(problem, DensityOf::data, {{{3}}}, 2), Error);
}

class FlowForm : public testing::TestWithParam<DensityForm> {};

TEST_P(FlowForm, HasTheSameBitsForAnyThreadsAndInAnyCompany) {
  const GaussianProblem problem(700, 150, Rng(1));
  const auto parameters = [&](int threads, const std::vector<MemberSpec>& members, Index k) {
    std::vector<float> result;
    with_threads(threads, [&] {
      DensityResult one = trained(problem, DensityOf::data, members, 3, GetParam());
      const auto own = one.stack.density_parameters(k);
      result.assign(own.begin(), own.end());
    });
    return result;
  };
  const std::vector<MemberSpec> all{{{0, 1}}, {{0, 3}}, {{3, 5}, 1}};
  const std::vector<float> one = parameters(1, all, 1);
  EXPECT_EQ(one, parameters(2, all, 1));
  EXPECT_EQ(one, parameters(2, {{{0, 3}}}, 0));
  EXPECT_NE(one, parameters(2, {{{0, 3}, 1}}, 0)) << "another replica is another flow";
}

TEST_P(FlowForm, IsReadBackBitForBit) {
  const GaussianProblem problem(700, 150, Rng(1));
  const DensityStack stack =
      trained(problem, DensityOf::parameters, {{{0, 1, 2}}, {{0, 2}}}, 2, GetParam()).stack;
  EXPECT_EQ(stack.size(), 6);
  const DensityStack again = DensityStack::from_arrays(stack.to_arrays());
  EXPECT_EQ(again.to_arrays(), stack.to_arrays());
  const Matrix<float> features = stack.features(problem.x.view().rows(0, 5));
  const Matrix<float> scores = stack.scores(problem.theta.view().rows(0, 15));
  std::vector<float> a(15), b(15);
  stack.add_log_densities(a, 1, {features, 3, scores, 1});
  again.add_log_densities(b, 1, {features, 3, scores, 1});
  EXPECT_EQ(a, b);
  for (NamedArray& array : stack.to_arrays()) {
    if (array.name != "transforms") continue;
    std::vector<NamedArray> damaged = stack.to_arrays();
    std::ranges::replace_if(
        damaged, [](const NamedArray& one) { return one.name == "transforms"; },
        NamedArray{"transforms", {1}, std::vector{4.0}});
    EXPECT_THROW(DensityStack::from_arrays(damaged), Error);
  }
}

TEST_P(FlowForm, IsTheSameForBlocksAndForSingleRows) {
  const GaussianProblem problem(700, 150, Rng(1));
  const DensityStack stack =
      trained(problem, DensityOf::parameters, {{{0, 2}}}, 2, GetParam()).stack;
  const Matrix<float> features = stack.features(problem.x.view().rows(0, 3));
  const Matrix<float> scores = stack.scores(problem.theta.view().rows(0, 600));
  constexpr Index kEach = 200;
  std::vector<float> together(3 * kEach);
  stack.add_log_densities(together, 0, {features, kEach, scores, 1});
  for (const Index r : {Index{0}, kEach - 1, kEach, 3 * kEach - 1}) {
    float alone = 0;
    stack.add_log_densities({&alone, 1}, 0,
                            {features.view().rows(r / kEach, 1), 1, scores.view().rows(r, 1), 1});
    EXPECT_NEAR(together[std::size_t(r)], alone, 2e-5F) << r;
  }
}

// Moments of both columns and of their product, on a grid and of draws.
TEST_P(FlowForm, IsDrawnFromByRunningItBackwards) {
  const GaussianProblem problem(700, 150, Rng(1));
  const DensityStack stack =
      trained(problem, DensityOf::parameters, {{{0, 2}}}, 4, GetParam()).stack;
  constexpr Index kDraws = 20000, kSide = 240;
  const Matrix<float> features = stack.features(problem.x.view().rows(0, 2));
  const auto functions = [](double a, double b) { return std::array{a, b, a * a, b * b, a * b}; };
  std::array<double, 5> expected{}, sum{}, squares{};
  const auto expect = [&](Index row) {
    Matrix<float> grid(kSide * kSide, 3);
    for (Index i = 0; i < grid.rows(); ++i) {
      const Index line = i / kSide, place = i % kSide;
      grid(i, 0) = -6 + 12 * (float(line) + 0.5F) / kSide;
      grid(i, 2) = -6 + 12 * (float(place) + 0.5F) / kSide;
    }
    std::vector<float> log(std::size_t(grid.rows()), 0.0F);
    stack.add_log_densities(log, 0, {features.view().rows(row, 1), grid.rows(), grid, 1});
    expected.fill(0);
    double mass = 0;
    for (Index i = 0; i < grid.rows(); ++i) {
      const double p = std::exp(double(log[std::size_t(i)]));
      const auto values = functions(double(grid(i, 0)), double(grid(i, 2)));
      mass += p;
      for (std::size_t k = 0; k < 5; ++k) expected[k] += p * values[k];
    }
    for (double& value : expected) value /= mass;
  };
  Matrix<double> uniform(kDraws, 3);
  Rng rng(8);
  for (Index i = 0; i < 3 * kDraws; ++i) uniform.data()[i] = rng.uniform();
  Matrix<float> scores(kDraws, 3);
  const std::vector<Index> flow{0};
  stack.draw(scores, flow, features.view().rows(0, 1), uniform);
  for (Index i = 0; i < kDraws; ++i) {
    const auto values = functions(double(scores(i, 0)), double(scores(i, 2)));
    for (std::size_t k = 0; k < 5; ++k) {
      sum[k] += values[k];
      squares[k] += values[k] * values[k];
    }
  }
  const auto worst = [&] {
    double most = 0;
    for (std::size_t k = 0; k < 5; ++k) {
      const double mean = sum[k] / kDraws;
      const double error = std::sqrt((squares[k] / kDraws - mean * mean) / kDraws);
      most = std::max(most, std::abs(mean - expected[k]) / error);
    }
    return most;
  };
  expect(0);
  EXPECT_LT(worst(), 4.5);
  expect(1);
  EXPECT_GT(worst(), 10) << "the control: another context";
}

INSTANTIATE_TEST_SUITE_P(Forms, FlowForm,
                         testing::Values(DensityForm::mixture, DensityForm::spline),
                         [](const auto& form) {
                           return form.param == DensityForm::mixture ? "mixture" : "spline";
                         });

TEST(FlowStep, TakesNoMemoryOnceWarm) {
  const GaussianProblem problem(400, 100, Rng(1));
  DensityStack stack = trained(problem, DensityOf::parameters, {{{0, 1}}}, 1).stack;
  const TrainingOptions options = training_options(1);
  const Matrix<float> x = stack.features(problem.x), theta = stack.scores(problem.theta);
  const DensityTraining densities = flows(DensityOf::parameters, 3, DensityForm::mixture, 3);
  FlowTrainer trainer(stack, 0, densities, {theta, problem.training, problem.validation}, nullptr,
                      options, Rng(3));
  Workspace<float> workspace = flow_workspace(stack, options.batch_size);
  const auto work = [&] {
    trainer.start_epoch(1);
    trainer.step(workspace, x.view().rows(0, 64), std::span(problem.training).first(64), 1e-3,
                 nullptr);
    double sum = 0;
    trainer.start_validation();
    trainer.add_validation_loss(sum, workspace, x.view().rows(300, 100), problem.validation);
  };
  work();
  const std::size_t before = test::allocations();
  for (int i = 0; i < 5; ++i) work();
  EXPECT_EQ(test::allocations(), before);
}

}  // namespace
}  // namespace hone
