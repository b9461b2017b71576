// Networks count in the average of an ensemble by how well they did on the validation rows.
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "hone/estimate/ratio_estimator.h"
#include "hone/posterior/marginal_grid.h"
#include "hone/posterior/summary.h"
#include "inference/support.h"

namespace hone {
namespace {

std::vector<double> weights(const std::vector<double>& losses, std::size_t rows) {
  std::vector<MemberHistory> histories(losses.size());
  for (std::size_t e = 0; e < losses.size(); ++e) histories[e].best_loss = losses[e];
  return ensemble_weights(histories, rows);
}

TEST(EnsembleWeights, AreTheSameForEquals) {
  EXPECT_EQ(weights({0.7, 0.7}, 1000), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(weights({0.7}, 1000), std::vector<double>{1});
}

TEST(EnsembleWeights, FallByEForOneStandardErrorOfTheLoss) {
  const auto w = weights({0.7, 0.7 + 1 / (3 * std::sqrt(400.0))}, 400);
  EXPECT_NEAR(w[0] / w[1], std::exp(1.0), 1e-9);
  EXPECT_NEAR(w[0] + w[1], 1, 1e-12);
}

// A loss of 2 log 2 is that of a network whose log ratio is 0 everywhere.
TEST(EnsembleWeights, LeaveNothingToANetworkThatLearnedNothing) {
  EXPECT_LT(weights({2 * std::log(2.0), 0.94}, 1000)[0], 1e-15);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();  // it diverged at once
  EXPECT_EQ(weights({0.9, kInfinity}, 100), (std::vector<double>{1, 0}));
  EXPECT_EQ(weights({kInfinity, kInfinity}, 100), (std::vector<double>{0.5, 0.5}));
}

// Two networks, densities 2 u and 2 (1 - u): the average is 1 + (w_0 - w_1) (2 u - 1).
TEST(EnsembleWeights, WeightDensities) {
  const LogDensities two = [](MatrixView<const float> local) {
    Matrix<float> out(2, local.rows());
    for (Index i = 0; i < local.rows(); ++i) {
      out(0, i) = std::log(2 * local(i, 0));
      out(1, i) = std::log(2 * (1 - local(i, 0)));
    }
    return out;
  };
  const TruncatedPrior prior(test::uniform_prior(1), Region::whole(1));
  const MarginalPosterior posterior(prior, {0}, two, 1, {0.75, 0.25});
  const Matrix<float> points = local_grid(10, 1);
  const auto density = posterior.log_density_local(points);
  for (Index i = 0; i < points.rows(); ++i) {
    const double u = static_cast<double>(points(i, 0));
    EXPECT_NEAR(std::exp(density[static_cast<std::size_t>(i)]), 1 + 0.5 * (2 * u - 1), 1e-5);
  }
  // Means 2/3 and 1/3: the weighted deviation, as of a sample of two.
  const double mean = 0.75 * 2 / 3 + 0.25 / 3;
  const double square = 0.75 * std::pow(2.0 / 3 - mean, 2) + 0.25 * std::pow(1.0 / 3 - mean, 2);
  const ParameterSummary summary = summarize_parameter(make_grid(posterior, 512), "u");
  EXPECT_NEAR(summary.mean, mean, 1e-5);
  EXPECT_NEAR(summary.ensemble_error, std::sqrt(2 * square), 1e-5);
}

}  // namespace
}  // namespace hone
