// How far draws are from a marginal posterior on a grid.
#include "hone/posterior/grid_difference.h"

#include <cmath>

#include <gtest/gtest.h>

#include "inference/support.h"

namespace hone {
namespace {

constexpr Index kDraws = 10000;
constexpr double kSigma = 0.05;

// A normal distribution around 0.5 of each parameter of the marginal.
MarginalGrid normal_grid(const Marginal& marginal) {
  const TruncatedPrior prior(test::uniform_prior(2), Region::whole(2));
  return make_grid(
      test::exact_posterior(prior, marginal,
                            {test::gaussian(std::vector<double>(marginal.size(), 0.5), kSigma)}),
      marginal.size() == 1 ? 512 : 64);
}

// Normal draws around 0.5 + shift; the second parameter follows the first with this correlation.
Matrix<double> draws(Index columns, double shift, double correlation = 0) {
  Matrix<double> result(kDraws, columns);
  Rng rng = test::test_rng();
  for (Index i = 0; i < kDraws; ++i) {
    const double first = rng.normal();
    result(i, 0) = 0.5 + shift + kSigma * first;
    if (columns == 1) continue;
    const double own = std::sqrt(1 - correlation * correlation) * rng.normal();
    result(i, 1) = 0.5 + kSigma * (correlation * first + own);
  }
  return result;
}

TEST(GridDifference, IsNothingButChanceForDrawsOfThePosterior) {
  EXPECT_LT(grid_difference(normal_grid({0}), draws(1, 0)), difference_by_chance(kDraws));
  const double pair = grid_difference(normal_grid({0, 1}), draws(2, 0));
  EXPECT_NEAR(pair, difference_by_chance(kDraws), 0.5 * difference_by_chance(kDraws));
}

// Normal distributions that are a standard deviation apart share all but 2 Phi(1/2) - 1 of their
// mass; ten bins do not see all of it.
TEST(GridDifference, IsTheMassThatIsElsewhere) {
  const double exact = 2 * test::normal_cdf(0.5) - 1;
  EXPECT_NEAR(grid_difference(normal_grid({0}), draws(1, kSigma)), exact, 0.02);
  EXPECT_NEAR(grid_difference(normal_grid({0}), draws(1, 20 * kSigma)), 0.9, 0.02)
      << "all in a bin";
}

// What no marginal of one parameter shows.
TEST(GridDifference, SeesACorrelationThatIsMissing) {
  const Matrix<double> correlated = draws(2, 0, 0.9);
  EXPECT_GT(grid_difference(normal_grid({0, 1}), correlated), 0.3);
  Matrix<double> second(kDraws, 1);
  for (Index i = 0; i < kDraws; ++i) second(i, 0) = correlated(i, 1);
  EXPECT_LT(grid_difference(normal_grid({1}), second), difference_by_chance(kDraws));
}

}  // namespace
}  // namespace hone
