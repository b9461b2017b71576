// Densities that are known, learned by maximum likelihood.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "engine/allocation_counter.h"
#include "engine/problems.h"
#include "hone/core/parallel.h"
#include "hone/engine/density_member_trainer.h"
#include "hone/engine/density_trainer.h"

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

DensityTraining unbounded(DensityOf what, std::size_t columns, DensityForm form) {
  return {.what = what,
          .form = form,
          .components = 3,
          .bounds = {std::vector(columns, -kInfinity), std::vector(columns, kInfinity)}};
}

DensityResult trained(const GaussianProblem& problem, DensityOf what,
                      const std::vector<MemberSpec>& members, int epochs,
                      const EmbeddingOptions& embedding = {},
                      DensityForm form = DensityForm::mixture) {
  return train_densities(problem.data(), members,
                         unbounded(what, what == DensityOf::data ? 6 : 3, form), kNetwork,
                         embedding, training_options(epochs), Rng(2));
}

// E[-log density of the scores] of a normal variable with this part of its variance left.
double entropy(double left) {
  return 0.5 * std::log(2 * std::numbers::pi * std::numbers::e * left);
}

// Posterior of theta_0: variance v / (1 + v) of a prior of 1. Data column 1 given theta_0 alone:
// noise^2 of 1 + noise^2; given theta_0 and column 0, the same, since noise is independent.
TEST(Densities, ReachTheEntropyOfAKnownProblem) {
  const GaussianProblem problem(6000, 2000, Rng(1));
  const double v = GaussianProblem::kVariance, noise2 = std::pow(GaussianProblem::kNoise, 2);
  // Standard error of the mean of -log p of 2,000 rows: 0.7 / sqrt(2000).
  const double error = 0.71 / std::sqrt(2000.0);
  const DensityResult posterior = trained(problem, DensityOf::parameters, {{{0}}, {{1, 0}}}, 12);
  EXPECT_NEAR(posterior.histories[0].best_loss, entropy(v / (1 + v)), 4 * error);
  EXPECT_NEAR(posterior.histories[1].best_loss, entropy(v / (1 + v)), 4 * error);
  const DensityResult likelihood = trained(problem, DensityOf::data, {{{1}}, {{0, 1}}}, 12);
  EXPECT_NEAR(likelihood.histories[0].best_loss, entropy(noise2 / (1 + noise2)), 4 * error);
  EXPECT_NEAR(likelihood.histories[1].best_loss, entropy(noise2 / (1 + noise2)), 4 * error);
  const DensityResult spline =
      trained(problem, DensityOf::parameters, {{{1, 0}}}, 12, {}, DensityForm::spline);
  EXPECT_NEAR(spline.histories[0].best_loss, entropy(v / (1 + v)), 4 * error);
  // The control: networks whose data belong to other rows do not reach it.
  GaussianProblem shuffled(6000, 2000, Rng(1));
  std::rotate(shuffled.theta.data(), shuffled.theta.data() + 3, shuffled.theta.data() + 6000 * 3);
  const DensityResult nothing = trained(shuffled, DensityOf::parameters, {{{0}}}, 12);
  EXPECT_GT(nothing.histories[0].best_loss, entropy(v / (1 + v)) + 8 * error);
}

// Mean of -log density of the validation rows before the first step.
double first_loss(const GaussianProblem& problem, Index components, bool with_start,
                  DensityForm form = DensityForm::mixture) {
  const Standardizer x = fit_standardizer(problem.source, problem.training, "x", Tails::keep);
  const MatrixRows theta_rows(problem.theta);
  const Standardizer theta = fit_standardizer(theta_rows, problem.training, "theta");
  const std::vector<float> low(3, -kInfinity), high(3, kInfinity);
  DensityStack stack({{{0}}}, kNetwork, form, {components}, {}, x, theta, {low, high});
  const Matrix<float> scores = stack.scores(problem.theta), data = stack.features(problem.x);
  const TrainingOptions options = training_options(1);
  SegmentReader reader(problem.source, x, options.batch_size, Index{1} << 20);
  const LinearStart start = measure_covariance(reader, 6, scores, problem.training, 0, true);
  DensityMemberTrainer trainer(stack, 0, DensityOf::parameters, scores,
                               with_start ? &start : nullptr, options, Rng(3));
  Workspace<float> workspace(stack.layout(), 1, 64, 64, true);
  double sum = 0;
  const Index first = problem.validation.front(), count = std::ssize(problem.validation);
  trainer.add_validation_loss(sum, workspace, data.view().rows(first, count), problem.validation);
  return sum / static_cast<double>(count);
}

// The regression says all there is to say of this problem, before any training. One component is
// the posterior itself; several side by side are nearly a normal density, 0.02 nats off at most.
TEST(Densities, BeginWithTheLinearRegression) {
  const GaussianProblem problem(6000, 3000, Rng(1));
  const double v = GaussianProblem::kVariance, truth = entropy(v / (1 + v));
  const double error = std::sqrt(0.5 / 3000);  // -log p of a normal has the variance 1/2
  EXPECT_NEAR(first_loss(problem, 1, true), truth, 4 * error);
  EXPECT_NEAR(first_loss(problem, 8, true), truth, 4 * error + 0.02);
  EXPECT_NEAR(first_loss(problem, 8, true, DensityForm::spline), truth, 4 * error);
  // The control: a network that begins without it knows nothing yet.
  EXPECT_GT(first_loss(problem, 1, false), truth + 8 * error);
  EXPECT_GT(first_loss(problem, 8, false), truth + 8 * error + 0.02);
}

TEST(Densities, LearnBehindAnEmbedding) {
  const GaussianProblem problem(3000, 1000, Rng(1));
  const DensityResult result =
      trained(problem, DensityOf::parameters, {{{0}}, {{0, 1}}}, 15,
              {.kind = EmbeddingKind::linear, .features = 4, .hidden = {}});
  const double v = GaussianProblem::kVariance;
  EXPECT_NEAR(result.histories[0].best_loss, entropy(v / (1 + v)), 0.12);
}

class EveryForm : public testing::TestWithParam<DensityForm> {};

TEST_P(EveryForm, HasTheSameBitsForAnyThreadsAndInAnyCompany) {
  const GaussianProblem problem(700, 150, Rng(1));
  const auto parameters = [&](int threads, const std::vector<MemberSpec>& members, Index k) {
    std::vector<float> result;
    with_threads(threads, [&] {
      const DensityResult one = trained(problem, DensityOf::data, members, 3, {}, GetParam());
      result.assign(one.stack.parameters(k).begin(), one.stack.parameters(k).end());
    });
    return result;
  };
  const std::vector<MemberSpec> all{{{0}}, {{0, 3}}, {{3, 5}, 1}};
  const std::vector<float> one = parameters(1, all, 1);
  EXPECT_EQ(one, parameters(2, all, 1));
  EXPECT_EQ(one, parameters(2, {{{0, 3}}}, 0));
  EXPECT_NE(one, parameters(2, {{{0, 3}, 1}}, 0)) << "another replica is another network";
}

TEST_P(EveryForm, IsReadBackBitForBit) {
  const GaussianProblem problem(700, 150, Rng(1));
  const DensityStack stack =
      trained(problem, DensityOf::parameters, {{{0}}, {{0, 2}}}, 2, {}, GetParam()).stack;
  const DensityStack again = DensityStack::from_arrays(stack.to_arrays());
  EXPECT_EQ(again.to_arrays(), stack.to_arrays());
  const Matrix<float> features = stack.features(problem.x.view().rows(0, 5));
  const Matrix<float> scores = stack.scores(problem.theta.view().rows(0, 15));
  std::vector<float> a(15), b(15);
  stack.add_log_densities(a, 1, {features, 3, scores, 1});
  again.add_log_densities(b, 1, {features, 3, scores, 1});
  EXPECT_EQ(a, b);
  EXPECT_THROW(RatioStack::from_arrays(stack.to_arrays()), Error);
  std::vector<NamedArray> damaged = stack.to_arrays();
  std::erase_if(damaged, [](const NamedArray& array) { return array.name == "lower"; });
  EXPECT_THROW(DensityStack::from_arrays(damaged), Error);
}

// One density by all ways to ask for it.
TEST_P(EveryForm, IsTheSameForBlocksAndForSingleRows) {
  const GaussianProblem problem(700, 150, Rng(1));
  for (const std::vector<int>& columns : {std::vector{0}, std::vector{0, 2}}) {
    const DensityStack stack =
        trained(problem, DensityOf::parameters, {{columns}}, 2, {}, GetParam()).stack;
    const Matrix<float> features = stack.features(problem.x.view().rows(0, 3));
    const Matrix<float> scores = stack.scores(problem.theta.view().rows(0, 3 * 700 / 3));
    const Index each = scores.rows() / 3;
    std::vector<float> together(std::size_t(3 * each));
    stack.add_log_densities(together, 0, {features, each, scores.view().rows(0, 3 * each), 1});
    for (const Index r : {Index{0}, each - 1, each, 3 * each - 1}) {
      float alone = 0;
      stack.add_log_densities({&alone, 1}, 0,
                              {features.view().rows(r / each, 1), 1, scores.view().rows(r, 1), 1});
      EXPECT_NEAR(together[std::size_t(r)], alone, 1e-5F) << r;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, EveryForm,
                         testing::Values(DensityForm::mixture, DensityForm::spline),
                         [](const auto& form) {
                           return form.param == DensityForm::mixture ? "mixture" : "spline";
                         });

TEST(DensityStep, TakesNoMemoryOnceWarm) {
  const GaussianProblem problem(400, 100, Rng(1));
  DensityStack stack = trained(problem, DensityOf::data, {{{0, 1}}}, 1).stack;
  const TrainingOptions options = training_options(1);
  const Matrix<float> x = stack.scores(problem.x), theta = stack.features(problem.theta);
  DensityMemberTrainer trainer(stack, 0, DensityOf::data,
                               {theta.data(), theta.rows(), 3, theta.cols()}, nullptr, options,
                               Rng(3));
  Workspace<float> workspace(stack.layout(), 1, 64, 64, true);
  const auto work = [&] {
    trainer.start_epoch(1);
    trainer.step(workspace, x.view().rows(0, 64), std::span(problem.training).first(64), 1e-3,
                 nullptr);
    double sum = 0;
    trainer.add_validation_loss(sum, workspace, x.view().rows(300, 100), problem.validation);
  };
  work();
  const std::size_t before = test::allocations();
  for (int i = 0; i < 5; ++i) work();
  EXPECT_EQ(test::allocations(), before);
}

}  // namespace
}  // namespace hone
