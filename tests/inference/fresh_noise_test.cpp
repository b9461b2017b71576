// Noise that is drawn afresh in every epoch, where the posterior is known.
//
// Two parameters with prior N(0, 1); the simulator makes g = A theta, 24 values; x = g + sigma n.
// With a = A^T A / sigma^2 the posterior is normal with covariance (1 + a)^-1 and mean
// (1 + a)^-1 A^T x / sigma^2. The columns of A are orthogonal, so everything is diagonal.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "hone/posterior/marginal_grid.h"
#include "inference/support.h"

namespace hone {
namespace {

using test::Laboratory, test::normal_cdf;

constexpr Index kData = 24, kSimulations = 300;
constexpr double kSigma = 2;

double design(std::size_t j, int d) {
  const double phase = 2 * std::numbers::pi * static_cast<double>(j) / kData;
  return d == 0 ? std::cos(phase) : std::sin(phase);
}

void noiseless(std::span<double> x, std::span<const double> theta, Rng) {
  for (std::size_t j = 0; j < x.size(); ++j) {
    x[j] = design(j, 0) * theta[0] + design(j, 1) * theta[1];
  }
}

void noise_once(std::span<double> x, std::span<const double> theta, Rng noise) {
  noiseless(x, theta, noise);
  for (double& value : x) value += kSigma * noise.normal();
}

InferenceOptions options() {
  InferenceOptions options = test::small_options(kSimulations);
  options.method = "mnre";
  options.training.max_epochs = 80;
  return options;
}

// Mean over test data of the total variation between a marginal posterior and the exact one.
double error_of(const AmortizedPosterior& estimator) {
  constexpr double precision = 1 + kData / 2.0 / (kSigma * kSigma);
  const double deviation = 1 / std::sqrt(precision);
  double sum = 0;
  constexpr int tests = 24;
  for (int t = 0; t < tests; ++t) {
    Rng rng = Rng(99).child("observation", static_cast<std::uint64_t>(t));
    const std::vector<double> theta{rng.normal(), rng.normal()};
    std::vector<double> x(kData);
    noise_once(x, theta, rng.child("noise"));
    for (int d = 0; d < 2; ++d) {
      double mean = 0;
      for (std::size_t j = 0; j < x.size(); ++j) mean += design(j, d) * x[j];
      mean /= kSigma * kSigma * precision;
      const MarginalGrid grid = make_grid(MarginalPosterior(estimator, {d}, x), 256);
      for (std::size_t i = 0; i < grid.mass.size(); ++i) {
        const double exact = normal_cdf((grid.axes[0].high[i] - mean) / deviation) -
                             normal_cdf((grid.axes[0].low[i] - mean) / deviation);
        sum += std::abs(grid.mass[i] - exact) / 2;
      }
    }
  }
  return sum / (2 * tests);
}

double error_with(const RowFunction& simulator, const NoiseModel* noise, std::uint64_t seed) {
  Laboratory laboratory(test::normal_prior(2), kData, simulator);
  Simulations simulations = laboratory.simulations(seed, noise);
  const std::vector<double> observation(kData, 0.0);
  const InferenceResult result =
      test::infer(simulations, observation, one_dimensional(2), options(), Rng(seed).child("test"));
  return error_of(*result.posterior.posterior);
}

TEST(FreshNoise, GivesThePosteriorThatTheSameSimulationsWithNoiseDrawnOnceDoNot) {
  const auto noise = make_gaussian_noise(kData, std::vector<double>{kSigma});
  const auto too_small = make_gaussian_noise(kData, std::vector<double>{kSigma / 2});
  double fresh = 0, once = 0;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const double a = error_with(noiseless, noise.get(), seed);
    const double b = error_with(noise_once, nullptr, seed);
    RecordProperty(fmt::format("seed_{}", seed), fmt::format("{:.4f} {:.4f}", a, b));
    EXPECT_LT(a, b) << "seed " << seed;
    fresh += a / 3;
    once += b / 3;
  }
  const double wrong = error_with(noiseless, too_small.get(), 1);
  const double none = error_with(noiseless, nullptr, 1);
  RecordProperty("wrong_sigma", fmt::format("{:.4f}", wrong));
  RecordProperty("no_noise", fmt::format("{:.4f}", none));
  EXPECT_LT(fresh, 0.08);
  EXPECT_GT(once, 1.3 * fresh);
  EXPECT_GT(wrong, 2 * fresh);
  EXPECT_GT(none, 3 * fresh);
}

}  // namespace
}  // namespace hone
