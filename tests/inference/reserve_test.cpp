// A share of the budget belongs to the final region: rounds that would need some of it are not
// begun.

#include <gtest/gtest.h>

#include "inference/support.h"

namespace hone {
namespace {

using test::additive_noise, test::infer, test::Laboratory, test::small_options, test::uniform_prior;

struct Outcome {
  InferenceResult result;
  Index by_rounds = 0;  // simulations that rounds asked for
};

// Narrow noise: every round finds much to cut, for as long as it may.
Outcome run(double final_fraction, Index budget = 1200) {
  Laboratory laboratory(uniform_prior(2, 0, 1), 2, additive_noise(0.02));
  InferenceOptions options = small_options(budget);
  options.round_fraction = 0.25;
  options.max_rounds = 12;
  options.final_fraction = final_fraction;
  options.training.max_epochs = 20;
  options.stop_ratio = options.stop_axis_ratio = 1;  // never stops by itself
  Simulations simulations = laboratory.simulations();
  Outcome outcome{infer(simulations, std::vector{0.4, 0.6}, {{0}, {1}}, options, Rng(3))};
  EXPECT_EQ(simulations.issued(), budget);
  for (const Round& round : outcome.result.rounds) outcome.by_rounds += round.simulated;
  return outcome;
}

TEST(FinalFraction, IsLeftToTheFinalRegion) {
  const Outcome outcome = run(0.4);
  EXPECT_GE(outcome.result.rounds.size(), 2u);
  EXPECT_LE(outcome.by_rounds, 720);
  EXPECT_GE(outcome.result.rows, 480);  // all of these lie in the final region
  EXPECT_FALSE(outcome.result.converged);
  EXPECT_TRUE(outcome.result.budget_spent);
}

TEST(FinalFraction, ZeroLetsRoundsTakeAll) {
  const Outcome outcome = run(0);
  EXPECT_GT(outcome.by_rounds, 720);
  EXPECT_LT(outcome.result.rows, run(0.4).result.rows);
}

TEST(FinalFraction, ChangesNothingWhereRoundsStayWithinTheirShare) {
  const auto settled = [](double final_fraction) {
    Laboratory laboratory(uniform_prior(1, 0, 1), 1, additive_noise(0.3));
    InferenceOptions options = small_options(1000);
    options.training.max_epochs = 5;
    options.final_fraction = final_fraction;
    Simulations simulations = laboratory.simulations();
    return infer(simulations, std::vector{0.4}, {{0}}, options, Rng(3));
  };
  const InferenceResult with = settled(0.3), without = settled(0);
  EXPECT_EQ(with.region, without.region);
  const auto features = with.posterior.posterior->features(std::vector{0.4});
  const Matrix<float> grid = local_grid(64, 1);
  const Matrix<float> a = with.posterior.posterior->log_densities(0, features, grid);
  const Matrix<float> b = without.posterior.posterior->log_densities(0, features, grid);
  for (Index i = 0; i < grid.rows(); ++i) EXPECT_EQ(a(0, i), b(0, i));
}

TEST(FinalFraction, LeavesTheFirstRoundEnoughToTrainOn) {
  const Outcome outcome = run(0.9, 200);
  EXPECT_EQ(outcome.by_rounds, kFewestRows);
}

}  // namespace
}  // namespace hone
