#include "hone/posterior/ensemble_mcmc.h"

#include <gtest/gtest.h>

#include "inference/support.h"

namespace hone {
namespace {

using test::column, test::mean_of, test::test_rng, test::variance_of;
using Density = std::function<double(std::span<const double>)>;

EnsembleMcmcResult sample(const Density& density, Index dimensions, Index rows, const Rng& rng,
                          const EnsembleMcmcOptions& options = {}) {
  Matrix<double> walkers(options.walkers, dimensions);
  Rng start = rng.child("start");
  for (Index w = 0; w < walkers.rows(); ++w) {
    for (double& value : walkers.row(w)) value = start.uniform();
  }
  const auto all = [&](const Matrix<double>& at) {
    std::vector<double> values;
    for (Index i = 0; i < at.rows(); ++i) values.push_back(density(at.row(i)));
    return values;
  };
  return ensemble_mcmc(all, std::move(walkers), rows, rng.child("chain"), options);
}

// N((0.5, 0.4), S) with deviations 0.05 and 0.08 and correlation 0.9; negligible at the cube's
// ends.
constexpr double kMean[] = {0.5, 0.4}, kSigma[] = {0.05, 0.08}, kCorrelation = 0.9;
double correlated(std::span<const double> u) {
  const double a = (u[0] - kMean[0]) / kSigma[0], b = (u[1] - kMean[1]) / kSigma[1];
  return -0.5 * (a * a - 2 * kCorrelation * a * b + b * b) / (1 - kCorrelation * kCorrelation);
}

// 0.3 N(0.25, 0.08^2) + 0.7 N(0.7, 0.06^2)
double bimodal(std::span<const double> u) {
  const double a = (u[0] - 0.25) / 0.08, b = (u[0] - 0.7) / 0.06;
  return std::log(0.3 / 0.08 * std::exp(-0.5 * a * a) + 0.7 / 0.06 * std::exp(-0.5 * b * b));
}

TEST(EnsembleMcmc, FindsMeanAndCovarianceOfACorrelatedGaussian) {
  const auto result = sample(correlated, 2, 40000, test_rng());
  EXPECT_GT(result.effective_size, 4000);
  EXPECT_GT(result.acceptance, 0.4);
  std::vector<double> products;
  for (Index d = 0; d < 2; ++d) {
    const auto values = column(result.points, d);
    const double error = kSigma[d] / std::sqrt(result.effective_size);
    EXPECT_LT(std::abs(mean_of(values) - kMean[d]), 4 * error);
    EXPECT_GT(std::abs(mean_of(values) - (kMean[d] + 10 * error)), 4 * error);  // a wrong target
    // The relative error of a variance is sqrt(2 / n).
    EXPECT_LT(std::abs(variance_of(values) / (kSigma[d] * kSigma[d]) - 1),
              4 * std::sqrt(2 / result.effective_size));
  }
  for (Index i = 0; i < result.points.rows(); ++i) {
    products.push_back((result.points(i, 0) - kMean[0]) * (result.points(i, 1) - kMean[1]) /
                       (kSigma[0] * kSigma[1]));
  }
  // Var(ab) = 1 + rho^2.
  const double error = std::sqrt((1 + kCorrelation * kCorrelation) / result.effective_size);
  EXPECT_LT(std::abs(mean_of(products) - kCorrelation), 4 * error);
  EXPECT_GT(std::abs(mean_of(products) - 0.7), 4 * error);  // a wrong target
}

// The scatter of means of independent chains is what the effective size claims.
TEST(EnsembleMcmc, StatesAnEffectiveSizeThatExplainsTheScatterOfMeans) {
  constexpr int kChains = 80;
  const EnsembleMcmcOptions options{.walkers = 32, .burn_in = 200, .thin = 2, .stretch = 2};
  std::vector<double> means, sizes;
  for (int chain = 0; chain < kChains; ++chain) {
    const auto result = sample(correlated, 2, 3200, test_rng().child("chain", chain), options);
    means.push_back(mean_of(column(result.points, 1)));
    sizes.push_back(result.effective_size);
  }
  const double claimed = mean_of(sizes), found = kSigma[1] * kSigma[1] / variance_of(means);
  EXPECT_LT(claimed, 3200.0 / 2);  // the chain is correlated, and says so
  // A variance of 80 values is known to 16 %, and the effective size is that of the worst
  // coordinate.
  EXPECT_LT(claimed / found, 1 + 4 * std::sqrt(2.0 / kChains));
  EXPECT_GT(claimed / found, 1 / (1 + 4 * std::sqrt(2.0 / kChains)) / 1.5);
}

TEST(EnsembleMcmc, GivesBothModesTheirShare) {
  const auto result = sample(bimodal, 1, 40000, test_rng());
  const auto values = column(result.points, 0);
  const double high = double(std::ranges::count_if(values, [](double u) { return u > 0.48; })) /
                      double(values.size());
  const double error = std::sqrt(0.3 * 0.7 / result.effective_size);
  EXPECT_LT(error, 0.02);
  EXPECT_LT(std::abs(high - 0.7), 4 * error);
  EXPECT_GT(std::abs(high - 0.5), 4 * error);  // equal modes would be wrong
}

// exp(-u / 0.1): the highest density is on the boundary.
TEST(EnsembleMcmc, FollowsADensityThatPeaksOnTheBoundary) {
  const auto result =
      sample([](std::span<const double> u) { return -u[0] / 0.1; }, 1, 20000, test_rng());
  const auto values = column(result.points, 0);
  for (const double u : values) ASSERT_TRUE(u > 0 && u < 1);
  const double expected = 0.1 - std::exp(-10.0), error = 0.1 / std::sqrt(result.effective_size);
  EXPECT_LT(std::abs(mean_of(values) - expected), 4 * error);
}

TEST(EnsembleMcmc, GivesTheSamePointsForTheSameStream) {
  const auto a = sample(bimodal, 1, 500, Rng(1)), b = sample(bimodal, 1, 500, Rng(1));
  const auto c = sample(bimodal, 1, 500, Rng(2));
  EXPECT_EQ(column(a.points, 0), column(b.points, 0));
  EXPECT_NE(column(a.points, 0), column(c.points, 0));
}

}  // namespace
}  // namespace hone
