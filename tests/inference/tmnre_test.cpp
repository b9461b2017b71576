#include "hone/inference/tmnre.h"

#include <gtest/gtest.h>

#include "hone/posterior/marginal_grid.h"
#include "inference/support.h"

namespace hone {
namespace {

using test::Laboratory, test::small_options;

// theta uniform on [-1, 1]^2, x = theta + 0.05 noise: posterior N(x, 0.05^2) in each parameter.
constexpr double kNoise = 0.05;
const std::vector<double> kObserved{0.3, -0.2};

struct Outcome {
  InferenceResult result;
  Index issued, inside;
};

Outcome infer(const InferenceOptions& options, const std::vector<Marginal>& marginals = {{0}, {1}},
              std::uint64_t seed = 5) {
  Laboratory laboratory(test::uniform_prior(2, -1, 1), 2, test::additive_noise(kNoise));
  Simulations simulations = laboratory.simulations(seed);
  auto result = test::infer(simulations, kObserved, marginals, options, Rng(seed));
  const Index inside = simulations.count_inside(result.region);
  return {std::move(result), simulations.issued(), inside};
}

void expect_consistent(const Outcome& outcome, const InferenceOptions& options) {
  const InferenceResult& result = outcome.result;
  EXPECT_EQ(outcome.issued, options.budget);  // exactly
  EXPECT_EQ(outcome.inside, result.rows);
  EXPECT_EQ(result.region, result.posterior.posterior->prior().region());
  Region before = Region::whole(2);
  for (const Round& round : result.rounds) {
    EXPECT_EQ(round.region, before);
    EXPECT_EQ(round.cut.region.intersect(round.region), round.cut.region);  // nested
    before = round.cut.region;
  }
}

TEST(Tmnre, FindsTheExactPosteriorOfAGaussianProblem) {
  const InferenceOptions options = small_options(6000);
  const Outcome outcome = infer(options);
  expect_consistent(outcome, options);
  EXPECT_TRUE(outcome.result.converged);
  ASSERT_GE(outcome.result.rounds.size(), 2u);
  // The exact region is +-5.1 sigma of each, 0.255 of the axis; the last cut is not made.
  EXPECT_EQ(outcome.result.region, outcome.result.rounds.back().region);
  EXPECT_LT(outcome.result.region.mass(), 0.25);
  for (int d = 0; d < 2; ++d) {
    const Bounds hull = theta_hull(test::uniform_prior(2, -1, 1), outcome.result.region, d);
    EXPECT_LT(hull.low, kObserved[std::size_t(d)] - 3.5 * kNoise);
    EXPECT_GT(hull.high, kObserved[std::size_t(d)] + 3.5 * kNoise);
    const MarginalGrid grid =
        make_grid({*outcome.result.posterior.posterior, {d}, kObserved}, 1024);
    // Small networks and 6,000 simulations: a third of a sigma, 30 % in width.
    EXPECT_NEAR(grid_mean(grid), kObserved[std::size_t(d)], kNoise / 3) << d;
    EXPECT_NEAR(grid_deviation(grid), kNoise, 0.3 * kNoise) << d;
    EXPECT_GT(std::abs(grid_mean(grid) - (kObserved[std::size_t(d)] + kNoise)), kNoise / 3);
  }
}

TEST(Tmnre, ServesOtherDataOfTheRegionAndRefusesDataOfAnotherLength) {
  const Outcome outcome = infer(small_options(3000), {{0}});
  const AmortizedPosterior& estimator = *outcome.result.posterior.posterior;
  const std::vector<double> other{0.35, -0.22};
  const double here = grid_mean(make_grid({estimator, {0}, kObserved}, 512));
  const double there = grid_mean(make_grid({estimator, {0}, other}, 512));
  EXPECT_NEAR(there - here, 0.05, 0.03);
  const std::vector<double> wrong{0.3};
  const auto text = error_text([&] { MarginalPosterior(estimator, {0}, wrong); }, ErrorKind::input);
  EXPECT_TRUE(contains(text, "has 1 values, the simulator makes 2")) << text;
  const auto untrained = error_text(
      [&] {
        MarginalPosterior(estimator, {0, 1}, kObserved);
      },
      ErrorKind::input);
  EXPECT_TRUE(contains(untrained, "p0,p1 has not been trained")) << untrained;
}

TEST(Tmnre, WithoutTruncationIsOneTrainingInThePrior) {
  InferenceOptions options = small_options(500);
  options.method = "mnre";
  const Outcome outcome = infer(options, {{0, 1}});
  EXPECT_TRUE(outcome.result.rounds.empty());
  EXPECT_TRUE(outcome.result.region.is_whole());
  EXPECT_TRUE(outcome.result.converged);
  EXPECT_EQ(outcome.result.rows, 500);
  EXPECT_EQ(outcome.issued, 500);
}

InferenceOptions quick(Index budget) {
  InferenceOptions options = small_options(budget);
  options.training.max_epochs = 20;
  options.stop_ratio = options.stop_axis_ratio = 1;  // never stops by itself
  return options;
}

TEST(Tmnre, RoundsWorkWithAFractionOfTheBudget) {
  InferenceOptions options = quick(3000);
  options.max_rounds = 3;
  const Outcome outcome = infer(options, {{0}});
  expect_consistent(outcome, options);
  EXPECT_FALSE(outcome.result.converged);
  EXPECT_FALSE(outcome.result.budget_spent);
  for (const Round& round : outcome.result.rounds) {
    EXPECT_EQ(round.kept + round.simulated, std::max<Index>(round.kept, 900));
  }
}

TEST(Tmnre, RoundsGrowOverTheRoundBefore) {
  InferenceOptions options = quick(6000);
  options.round_schedule = RoundSchedule::growth;
  options.round_fraction = 0.1;
  options.max_rounds = 3;
  const Outcome outcome = infer(options, {{0}});
  expect_consistent(outcome, options);
  ASSERT_EQ(outcome.result.rounds.size(), 3u);
  const auto& rounds = outcome.result.rounds;
  EXPECT_EQ(rounds[0].simulated, 600);
  EXPECT_EQ(rounds[1].kept + rounds[1].simulated, 900);
  EXPECT_EQ(rounds[2].kept + rounds[2].simulated, 1350);
}

TEST(Tmnre, RoundsAddAnIncrement) {
  InferenceOptions options = quick(2000);
  options.round_schedule = RoundSchedule::increment;
  options.round_increment = 700;
  const Outcome outcome = infer(options, {{0}});
  expect_consistent(outcome, options);
  // 700 + 700 + the 600 that are left, and a look at whether more were needed.
  ASSERT_EQ(outcome.result.rounds.size(), 4u);
  EXPECT_EQ(outcome.result.rounds[1].simulated, 700);
  EXPECT_EQ(outcome.result.rounds[2].simulated, 600);
  EXPECT_EQ(outcome.result.rounds[3].simulated, 0);
}

// The last simulations may have settled the region, or not: a round without new ones tells, and
// makes no cut of its own.
TEST(Tmnre, SaysWhetherTheRegionHasSettledWhenTheBudgetIsSpent) {
  InferenceOptions options = quick(1500);
  options.round_fraction = 0.5;
  const Outcome shrinking = infer(options, {{0}});
  EXPECT_FALSE(shrinking.result.converged);
  EXPECT_TRUE(shrinking.result.budget_spent);
  EXPECT_EQ(shrinking.result.rounds.back().simulated, 0);
  EXPECT_EQ(shrinking.result.region, shrinking.result.rounds.back().region);
  EXPECT_NE(shrinking.result.region, shrinking.result.rounds.back().cut.region);

  // Two rounds in a row would be asked for, but nothing is left for a second.
  options.stop_ratio = 1e-9;
  options.stop_rounds = 2;
  options.round_fraction = 1;
  const Outcome settled = infer(options, {{0}});
  EXPECT_TRUE(settled.result.converged);
  EXPECT_EQ(settled.result.rounds.size(), 1u);
  EXPECT_TRUE(settled.result.region.is_whole());
}

TEST(Tmnre, CountsMayBePoissonDrawsOfTheSeed) {
  InferenceOptions options = quick(3000);
  options.poisson_counts = true;
  options.max_rounds = 1;
  const Outcome one = infer(options, {{0}}, 5), again = infer(options, {{0}}, 5),
                other = infer(options, {{0}}, 6);
  expect_consistent(one, options);
  EXPECT_NE(one.result.rounds[0].simulated, 900);
  EXPECT_NEAR(double(one.result.rounds[0].simulated), 900, 4 * 30);
  EXPECT_EQ(one.result.rounds[0].simulated, again.result.rounds[0].simulated);
  EXPECT_NE(one.result.rounds[0].simulated, other.result.rounds[0].simulated);
}

TEST(Tmnre, StopsByTotalMassOrByEveryAxis) {
  InferenceOptions options = quick(2000);
  options.stop_ratio = 1e-9;
  const Outcome by_mass = infer(options, {{0}});
  EXPECT_EQ(by_mass.result.rounds.size(), 1u);
  EXPECT_TRUE(by_mass.result.converged);
  EXPECT_TRUE(by_mass.result.region.is_whole());  // the cut it found is not made
  EXPECT_LT(by_mass.result.rounds[0].cut.mass_ratio, 1);
  expect_consistent(by_mass, options);
  options.stop_ratio = 1;
  options.stop_axis_ratio = 1e-9;
  EXPECT_EQ(infer(options, {{0}}).result.rounds.size(), 1u);
}

TEST(Tmnre, StopsAfterSoManyRoundsInARowThatHardlyShrinkEachWithTwiceTheData) {
  InferenceOptions options = quick(8000);
  options.stop_ratio = 1e-9;  // every cut hardly shrinks
  options.round_fraction = 0.1;
  options.stop_rounds = 3;
  const Outcome outcome = infer(options, {{0}});
  ASSERT_EQ(outcome.result.rounds.size(), 3u);
  EXPECT_TRUE(outcome.result.converged);
  Index target = 800;
  for (const Round& round : outcome.result.rounds) {
    EXPECT_EQ(round.kept + round.simulated, target);
    target *= 2;
  }
}

TEST(Tmnre, KeepsTheRegionThatHasDataWhenTheBudgetIsUsedUp) {
  InferenceOptions options = quick(300);
  options.round_fraction = 1;
  options.truncation.epsilon = 0.5;  // cuts to a handful of simulations
  options.truncation.padding = 0;
  options.training.max_epochs = 40;
  const Outcome outcome = infer(options, {{0}});
  EXPECT_FALSE(outcome.result.converged);
  EXPECT_GE(outcome.result.rows, 64);
  EXPECT_EQ(outcome.issued, 300);
}

// x = theta and columns of noise, `columns` in all.
Outcome infer_among_noise(Index columns, double shrinkage, EmbeddingOptions embedding = {}) {
  InferenceOptions options = quick(400);
  options.embedding = std::move(embedding);
  options.method = "mnre";
  options.training.column_shrinkage = shrinkage;
  Laboratory laboratory(test::uniform_prior(1), columns, [](auto x, auto theta, Rng noise) {
    for (double& value : x) value = noise.normal();
    x[0] += theta[0];
  });
  Simulations simulations = laboratory.simulations();
  const std::vector<double> observed(static_cast<std::size_t>(columns), 0.2);
  return {test::infer(simulations, observed, {{0}}, options, Rng(5)), 0, 0};
}

TEST(Tmnre, ShrinksColumnsOnlyOfWideData) {
  const auto arrays = [](Index columns, double shrinkage, const EmbeddingOptions& embedding = {}) {
    return infer_among_noise(columns, shrinkage, embedding).result.posterior.posterior->to_arrays();
  };
  EXPECT_EQ(arrays(49, 0), arrays(49, 1));
  EXPECT_NE(arrays(50, 0), arrays(50, 1));
  const EmbeddingOptions linear{.kind = EmbeddingKind::linear, .features = 8, .hidden = {}};
  EXPECT_EQ(arrays(60, 0, linear), arrays(60, 1, linear));
}

TEST(Tmnre, GivesTheSameBitsForTheSameSeed) {
  const InferenceOptions options = quick(600);
  const auto arrays = [](const Outcome& o) { return o.result.posterior.posterior->to_arrays(); };
  EXPECT_EQ(arrays(infer(options)), arrays(infer(options)));
  EXPECT_NE(arrays(infer(options)), arrays(infer(options, {{0}, {1}}, 6)));
}

}  // namespace
}  // namespace hone
