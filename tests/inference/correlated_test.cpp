// A correlated prior: data about one parameter tell about the other.
#include <gtest/gtest.h>

#include "hone/posterior/marginal_grid.h"
#include "inference/support.h"

namespace hone {
namespace {

using test::Laboratory, test::small_options;

// theta ~ N(0, 1)^2 with correlation rho; x = theta_0 + sigma noise, observed at 1.5.
constexpr double kRho = 0.8, kSigma = 0.5;
const std::vector<double> kObserved{1.5};

Prior normal_pair(double rho) {
  const Prior independent = test::normal_prior(2);
  if (rho == 0) return independent;
  return {std::vector(independent.parameters()), Copula(2, {{0, 1, rho}})};
}

InferenceResult infer(double rho, const std::string& method,
                      const std::vector<Marginal>& marginals) {
  Laboratory laboratory(normal_pair(rho), 1,
                        [](std::span<double> x, std::span<const double> theta, Rng noise) {
                          x[0] = theta[0] + kSigma * noise.normal();
                        });
  Simulations simulations = laboratory.simulations(5);
  InferenceOptions options = small_options(6000);
  options.method = method;
  return test::infer(simulations, kObserved, marginals, options, Rng(5));
}

MarginalGrid grid_of(const InferenceResult& result, const Marginal& marginal) {
  return make_grid({*result.posterior.posterior, marginal, kObserved}, 256);
}

// theta_0 | x ~ N(k x, k sigma^2) with k = 1 / (1 + sigma^2); theta_1 | theta_0 ~ N(rho theta_0,
// ..).
const double kShare = 1 / (1 + kSigma * kSigma);
const double kMean = kShare * 1.5, kVariance = kShare * kSigma * kSigma;
const double kOtherMean = kRho * kMean, kOtherVariance = 1 - kRho * kRho * (1 - kVariance);

TEST(CorrelatedPrior, TellsOfAParameterThatTheDataDoNotSee) {
  for (const char* method : {"mnre", "tmnre"}) {
    const InferenceResult result = infer(kRho, method, {{0}, {1}, {0, 1}});
    const MarginalGrid seen = grid_of(result, {0}), unseen = grid_of(result, {1});
    const double width = std::sqrt(kVariance), other = std::sqrt(kOtherVariance);
    EXPECT_NEAR(grid_mean(seen), kMean, width / 4);
    EXPECT_NEAR(grid_deviation(seen), width, 0.2 * width);
    EXPECT_NEAR(grid_mean(unseen), kOtherMean, other / 4);
    EXPECT_NEAR(grid_deviation(unseen), other, 0.2 * other);

    const MarginalGrid pair = grid_of(result, {0, 1});
    double product = 0;
    const Index columns = std::ssize(pair.axes[1].theta);
    for (std::size_t i = 0; i < pair.mass.size(); ++i) {
      const double a = pair.axes[0].theta[i / std::size_t(columns)] - kMean;
      const double b = pair.axes[1].theta[i % std::size_t(columns)] - kOtherMean;
      product += pair.mass[i] * a * b;
    }
    // cov(theta_0, theta_1 | x) = rho var(theta_0 | x)
    EXPECT_NEAR(product, kRho * kVariance, 0.4 * kRho * kVariance);
  }
  // The control: without the correlation its posterior is the prior.
  const MarginalGrid control = grid_of(infer(0, "mnre", {{1}}), {1});
  EXPECT_NEAR(grid_mean(control), 0, 0.2);
  EXPECT_GT(std::abs(grid_mean(control) - kOtherMean), std::sqrt(kOtherVariance));
}

TEST(CorrelatedPrior, HasNegativesThatAreUniform) {
  Laboratory laboratory(
      normal_pair(kRho), 1,
      [](std::span<double> x, std::span<const double> theta, Rng) { x[0] = theta[0]; });
  Simulations simulations = laboratory.simulations();
  const Region region(
      {{{unit_point(0.1), unit_point(0.9)}}, {{unit_point(0.6), unit_point(0.95)}}});
  simulations.simulate(region, 1, 4000, silent_observer());
  const Dataset data = simulations.inside(region, 0.1);
  ASSERT_EQ(data.training_negatives.size(), data.training.size());
  ASSERT_EQ(data.validation_negatives.size(), data.validation.size());
  for (Index d = 0; d < 2; ++d) {
    std::vector<double> negatives, positives;
    for (std::size_t i = 0; i < data.training.size(); ++i) {
      negatives.push_back(double(data.theta(data.training_negatives[i], d)));
      positives.push_back(double(data.theta(data.training[i], d)));
    }
    const auto uniform = [](double u) { return u; };
    EXPECT_LT(test::kolmogorov(negatives, uniform), 2.2) << d;
    // Of two correlated parameters in a box neither is uniform.
    EXPECT_GT(test::kolmogorov(positives, uniform), 2.2) << d;
  }
}

}  // namespace
}  // namespace hone
