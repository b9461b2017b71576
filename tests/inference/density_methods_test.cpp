// Methods that learn densities, on problems whose posteriors are known.
#include <cmath>
#include <numbers>
#include <stdexcept>

#include <gtest/gtest.h>

#include "hone/estimate/likelihood_estimator.h"
#include "hone/posterior/marginal_grid.h"
#include "inference/support.h"

namespace hone {
namespace {

using test::Laboratory, test::small_options;

// theta uniform on [-1, 1]^2; x_0 = theta_0^2 + noise has two modes of theta_0, x_1 = theta_1 +
// theta_0 + noise ties theta_1 to each of them.
constexpr double kNoise = 0.1;

void simulate(std::span<double> x, std::span<const double> theta, Rng noise) {
  x[0] = theta[0] * theta[0] + kNoise * noise.normal();
  x[1] = theta[1] + theta[0] + kNoise * noise.normal();
}

double log_likelihood(const std::vector<double>& x, double a, double b) {
  const double s = (x[0] - a * a) / kNoise, t = (x[1] - a - b) / kNoise;
  return -0.5 * (s * s + t * t);
}

// Masses of the exact posterior of one parameter in equal cells of [-1, 1].
std::vector<double> exact(const std::vector<double>& x, int d, Index cells) {
  constexpr int kOther = 400;
  std::vector<double> mass(std::size_t(cells), 0.0);
  double sum = 0;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    const double at = -1 + 2 * (double(i) + 0.5) / double(cells);
    for (int j = 0; j < kOther; ++j) {
      const double other = -1 + 2 * (j + 0.5) / kOther;
      mass[i] += std::exp(d == 0 ? log_likelihood(x, at, other) : log_likelihood(x, other, at));
    }
    sum += mass[i];
  }
  for (double& value : mass) value /= sum;
  return mass;
}

// Half of the sum of differences, on cells of the whole range.
double distance(const AmortizedPosterior& posterior, const std::vector<double>& x, int d,
                const std::vector<double>& truth) {
  const Index cells = std::ssize(truth);
  const MarginalPosterior marginal(posterior, {d}, x);
  Matrix<double> theta(cells, 1);
  for (Index i = 0; i < cells; ++i) theta(i, 0) = -1 + 2 * (double(i) + 0.5) / double(cells);
  const std::vector<double> log = marginal.log_density(theta);
  double sum = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    sum += std::abs(std::exp(log[i]) * 2 / double(cells) - truth[i]);
  }
  return sum / 2;
}

// A method by its name, or by "npe_spline" with splines instead of mixtures, or by "npe_flow" with
// three transforms of mixtures.
InferenceResult infer(const std::string& method, Index budget, const std::vector<double>& x,
                      std::uint64_t seed = 7) {
  InferenceOptions options = small_options(budget);
  options.method = method.substr(0, method.find('_'));
  if (method.ends_with("_spline")) options.density.form = DensityForm::spline;
  if (method.ends_with("_flow")) {
    options.density.transforms = 3;
    options.density.components = 4;
  }
  options.network.hidden = 48;
  options.density.steps = 1500;
  Laboratory laboratory(test::uniform_prior(2, -1, 1), 2, simulate);
  Simulations simulations = laboratory.simulations(seed);
  return test::infer(simulations, x, {{0}, {1}, {0, 1}}, options, Rng(seed));
}

struct MonteCarlo {
  double mean = 0, deviation = 0;
};

// What scatter alone would leave of somebody who knows that there are two normal modes, on either
// side of `middle`, and has so many exact draws to find their weights, means and widths from.
MonteCarlo distance_of_draws(const std::vector<double>& truth, double middle, int draws) {
  const auto at = [&](std::size_t i) { return -1 + 2 * (double(i) + 0.5) / double(truth.size()); };
  std::vector<double> distances;
  for (int repeat = 0; repeat < 200; ++repeat) {
    Rng rng = Rng(1).child("repeat", std::uint64_t(repeat));
    std::vector<double> modes[2], fit(truth.size(), 0.0);
    for (int k = 0; k < draws; ++k) {
      double left = rng.uniform();
      std::size_t i = 0;
      while (i + 1 < truth.size() && left >= truth[i]) left -= truth[i++];
      modes[at(i) > middle].push_back(at(i));
    }
    for (const std::vector<double>& mode : modes) {
      if (mode.size() < 2) continue;
      const double mean = test::mean_of(mode), variance = test::variance_of(mode);
      for (std::size_t i = 0; i < fit.size(); ++i) {
        const double off = at(i) - mean;
        fit[i] += double(mode.size()) / draws * 2 / double(truth.size()) *
                  std::exp(-0.5 * off * off / variance) /
                  std::sqrt(2 * std::numbers::pi * variance);
      }
    }
    distances.push_back(0);
    for (std::size_t i = 0; i < fit.size(); ++i)
      distances.back() += std::abs(fit[i] - truth[i]) / 2;
  }
  return {test::mean_of(distances), std::sqrt(test::variance_of(distances))};
}

class DensityMethod : public testing::TestWithParam<std::string> {};

// Simulations tell about the observation as far as their data are within the noise of it: of 4,000
// about 4,000 p(x) 2 pi noise^2 = 100, where p(x) = 0.79 x 0.5. No estimate of a few runs may be
// further from the truth than so many exact draws would be.
TEST_P(DensityMethod, ComesNearerToTwoModesWithMoreSimulations) {
  const std::vector<double> x{0.4, 0.1}, other{0.15, 0.4};
  constexpr int kRuns = 3, kDraws = 100;
  double few[2]{}, many[2]{};
  for (std::uint64_t seed = 7; seed < 7 + kRuns; ++seed) {
    const InferenceResult little = infer(GetParam(), 250, x, seed);
    const InferenceResult result = infer(GetParam(), 4000, x, seed);
    for (int d = 0; d < 2; ++d) {
      const std::vector<double> truth = exact(x, d, 400);
      few[d] += distance(*little.posterior.posterior, x, d, truth) / kRuns;
      many[d] += distance(*result.posterior.posterior, x, d, truth) / kRuns;
      // The control: it is not the posterior of other data.
      EXPECT_GT(distance(*result.posterior.posterior, x, d, exact(other, d, 400)), 0.3) << d;
    }
  }
  for (int d = 0; d < 2; ++d) {
    const MonteCarlo expected = distance_of_draws(exact(x, d, 400), d == 0 ? 0 : 0.1, kDraws);
    EXPECT_LT(many[d], expected.mean + 4 * expected.deviation / std::sqrt(kRuns)) << d;
    EXPECT_LT(many[d], 0.7 * few[d]) << d;
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, DensityMethod,
                         testing::Values("npe", "tnpe", "snpe", "nle", "tnle", "snle", "npe_spline",
                                         "nle_spline", "npe_flow", "nle_flow", "snpe_flow"),
                         [](const auto& one) { return one.param; });

// A standard normal prior, x = theta + 0.5 noise: the posterior is N(0.8 x, 0.2), under a flat
// prior it would be N(x, 0.25). Networks see normal scores here, in which the prior is not uniform.
TEST(Snpe, CountsAPriorWithoutEnds) {
  InferenceOptions options = small_options(2000);
  options.method = "snpe";
  Laboratory laboratory(test::normal_prior(2), 2, test::additive_noise(0.5));
  Simulations simulations = laboratory.simulations(7);
  const std::vector<double> x{1.2, -0.4};
  const InferenceResult result = test::infer(simulations, x, {{0}, {1}}, options, Rng(7));
  EXPECT_EQ(result.rounds.size(), 2U) << "and a last one, all but the first from a posterior";
  const double sigma = std::sqrt(0.2);
  for (int d = 0; d < 2; ++d) {
    const MarginalGrid grid = make_grid({*result.posterior.posterior, {d}, x}, 400);
    EXPECT_NEAR(grid_mean(grid), 0.8 * x[std::size_t(d)], 0.25 * sigma) << d;
    EXPECT_NEAR(grid_deviation(grid) / sigma, 1, 0.15) << d;
  }
  const MarginalGrid first = make_grid({*result.posterior.posterior, {0}, x}, 400);
  EXPECT_GT(std::abs(grid_mean(first) - x[0]), 0.3 * sigma) << "the control: a flat prior";
}

TEST(LikelihoodEstimator, SaysHowManyDrawsCountBehindItsMarginals) {
  const std::vector<double> x{0.4, 0.1};
  const InferenceResult result = infer("nle", 2000, x);
  const std::optional<double> draws = result.posterior.posterior->effective_draws(x);
  ASSERT_TRUE(draws.has_value());
  EXPECT_GT(*draws, 500);
  EXPECT_LT(*draws, double(LikelihoodEstimator::kDraws));
}

// The parameter is uniform on [0, 1], data are it and a little noise; the simulator fails the more
// often the larger it is. The posterior for data that exist is (1 - theta) times the normal.
TEST(LikelihoodEstimator, AccountsForSimulationsThatFail) {
  constexpr double kWide = 0.3;
  const auto simulator = [](std::span<double> out, std::span<const double> theta, Rng noise) {
    if (noise.uniform() < theta[0]) throw std::runtime_error("it fails");
    out[0] = theta[0] + kWide * noise.normal();
  };
  Laboratory laboratory(test::uniform_prior(1, 0, 1), 1, simulator, {.max_failed_fraction = 0.9});
  Simulations simulations = laboratory.simulations(7);
  InferenceOptions options = small_options(6000);
  options.method = "nle";
  const std::vector<double> x{0.5};
  const InferenceResult result = test::infer(simulations, x, {{0}}, options, Rng(7));
  const MarginalGrid grid = make_grid({*result.posterior.posterior, {0}, x}, 200);
  const auto mean = [&](bool failing) {
    double sum = 0, first = 0;
    for (int i = 0; i < 1000; ++i) {
      const double t = (i + 0.5) / 1000, z = (t - x[0]) / kWide;
      const double weight = std::exp(-0.5 * z * z) * (failing ? 1 - t : 1);
      sum += weight;
      first += weight * t;
    }
    return first / sum;
  };
  EXPECT_NEAR(grid_mean(grid), mean(true), 0.03);
  EXPECT_GT(std::abs(grid_mean(grid) - mean(false)), 0.05) << "the control";
}

TEST(LikelihoodEstimator, RefusesWhatItCannotLearn) {
  InferenceOptions options = small_options(400);
  options.method = "nle";
  validate(options, 200);
  const auto wide = refusal([&] { validate(options, 201); });
  EXPECT_TRUE(contains(wide, "at most 200") && contains(wide, "201")) << wide;
  options.embedding.kind = EmbeddingKind::linear;
  const auto embedded = refusal([&] { validate(options, 20); });
  EXPECT_TRUE(contains(embedded, "embedding")) << embedded;
}

}  // namespace
}  // namespace hone
