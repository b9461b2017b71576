// The benchmark task of sbibm. The signs of theta_2 and theta_3 do not matter, so the posterior has
// four equal parts.

#include "hone/tasks/slcp.h"

#include <cmath>

#include "hone/prior/standard_normal.h"
#include "hone/tasks/builtin.h"
#include "hone/tasks/gaussian_noise.h"
#include "hone/tasks/posterior_sampler.h"
#include "hone/tasks/reference.h"

namespace hone {
namespace slcp {
namespace {

constexpr int kPoints = 4;

// Lower triangle of the Cholesky factor of the covariance. sbibm adds 1e-6 to both variances, so
// that there always is one.
struct Factor {
  double l00, l10, l11;
};

Factor factor(std::span<const double> theta) {
  constexpr double kAdded = 1e-6;
  const double sigma_0 = theta[2] * theta[2];
  const double sigma_1 = theta[3] * theta[3];
  const double covariance = std::tanh(theta[4]) * sigma_0 * sigma_1;
  const double l00 = std::sqrt(sigma_0 * sigma_0 + kAdded);
  const double l10 = covariance / l00;
  return {l00, l10, std::sqrt(sigma_1 * sigma_1 + kAdded - l10 * l10)};
}

}  // namespace

void simulate(std::span<double> x, std::span<const double> theta, Rng& noise) {
  const Factor l = factor(theta);
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double a = noise.normal();
    const double b = noise.normal();
    x[2 * i] = theta[0] + l.l00 * a;
    x[2 * i + 1] = theta[1] + l.l10 * a + l.l11 * b;
  }
}

double log_likelihood(std::span<const double> x, std::span<const double> theta) {
  const Factor l = factor(theta);
  double squares = 0;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double a = (x[2 * i] - theta[0]) / l.l00;
    const double b = (x[2 * i + 1] - theta[1] - l.l10 * a) / l.l11;
    squares += a * a + b * b;
  }
  return -squares / 2 - kPoints * (2 * kLogSqrtTwoPi + std::log(l.l00 * l.l11));
}

// The sampler sees a quarter of the posterior, theta_2 and theta_3 > 0; signs are drawn afterwards.
Matrix<double> reference_samples(std::span<const double> x, Index rows, const Rng& rng) {
  std::vector<Parameter> quarter = prior().parameters();
  for (const std::size_t d : {2, 3}) {
    quarter[d].distribution = make_distribution({"uniform", {{"low", 0}, {"high", 3}}, {}});
  }
  const PosteriorSampler sampler(
      Prior(quarter), [x](std::span<const double> theta) { return log_likelihood(x, theta); },
      rng.child("proposal"), {.draws = 20000, .components = 24});
  return draw_rows(rows, kParameters, rng, [&sampler](std::span<double> theta, Rng& draw) {
    sampler.draw(theta, draw);
    for (const std::size_t d : {2, 3}) {
      if (draw.uniform() < 0.5) theta[d] = -theta[d];
    }
  });
}

Prior prior() {
  return same_prior(kParameters, make_distribution({"uniform", {{"low", -3}, {"high", 3}}, {}}));
}

}  // namespace slcp

Task slcp_task() {
  constexpr const char* kName = "slcp";
  return {
      .name = kName,
      .description = "Mean and covariance of four points: simple likelihood, complex posterior.",
      .prior = slcp::prior(),
      // Observation 1 of the benchmark.
      .truth = {-2.8581212, -0.44451332, 2.9473476, 1.2396116, 2.9712725},
      .observation = {2.3718784, 0.49947417, 9.931435, 1.7136912, -10.436423, -1.9067793,
                      -1.2343777, -0.09735},
      // Four independent draws of the same distribution: their order means nothing.
      .data = DataDescription({{.name = "points", .kind = DataKind::set, .shape = {4, 2}}}),
      .budget = 10000,
      .simulator =
          [] {
            return make_simulator(
                slcp::kData, [](std::span<double> x, std::span<const double> theta, Rng noise) {
                  slcp::simulate(x, theta, noise);
                });
          },
      .reference = {.log_likelihood =
                        [](std::span<const double> x, std::span<const double> theta) {
                          require_observation(x, slcp::kData, kName);
                          return slcp::log_likelihood(x, theta);
                        },
                    .samples =
                        [](std::span<const double> x, Index rows, const Rng& rng) {
                          require_observation(x, slcp::kData, kName);
                          return slcp::reference_samples(x, rows, rng);
                        },
                    .marginal_density = {}},
  };
}

}  // namespace hone
