// The benchmark task of sbibm: x = p + (-|z_0|, z_1), where z is theta turned by -45 degrees and p
// a random point on a half ring, p = (1/4 + r cos a, r sin a) with r ~ N(0.1, 0.01) (standard
// deviation) and a uniform on (-pi/2, pi/2); uniform prior on [-1, 1]^2. The absolute value makes
// the posterior two moons.

#include <cmath>
#include <numbers>

#include "hone/core/error.h"
#include "hone/tasks/builtin.h"
#include "hone/tasks/gaussian_noise.h"
#include "hone/tasks/reference.h"

namespace hone {
namespace {

constexpr int kDimensions = 2;
constexpr double kOffset = 0.25;
constexpr double kRadius = 0.1;
constexpr double kSigma = 0.01;
constexpr const char* kName = "two_moons";

struct Point {
  double first, second;
};

// From theta to z; its own inverse is turned_back.
Point turned(double theta_0, double theta_1) {
  return {(theta_0 + theta_1) / std::numbers::sqrt2, (theta_1 - theta_0) / std::numbers::sqrt2};
}
Point turned_back(double z_0, double z_1) {
  return {(z_0 - z_1) / std::numbers::sqrt2, (z_0 + z_1) / std::numbers::sqrt2};
}

Point draw_half_ring(Rng& rng) {
  const double angle = std::numbers::pi * (rng.uniform() - 0.5);
  const double radius = kRadius + kSigma * rng.normal();
  return {kOffset + radius * std::cos(angle), radius * std::sin(angle)};
}

// Of p: N(r) / (pi |r|), where r is negative on the left of the ring's centre. (sbibm leaves out
// the factor 1 / |r|; its reference samples, made by simulation, have it.)
double log_density_of_half_ring(double first, double second) {
  const double distance = std::hypot(first - kOffset, second);
  const double radius = first < kOffset ? -distance : distance;
  return log_normal_density(radius, kRadius, kSigma) - std::log(std::numbers::pi * distance);
}

double log_likelihood(std::span<const double> x, std::span<const double> theta) {
  require_observation(x, kDimensions, kName);
  const Point z = turned(theta[0], theta[1]);
  return log_density_of_half_ring(x[0] + std::abs(z.first), x[1] - z.second);
}

// By construction: a simulated p gives |z_0| = p_0 - x_0 and z_1 = x_1 - p_1, with a Jacobian of 1;
// both signs of z_0 are alike, and what lies outside the prior is drawn again.
Matrix<double> reference_samples(std::span<const double> x, Index rows, const Rng& rng) {
  require_observation(x, kDimensions, kName);
  return draw_rows(rows, kDimensions, rng, [x](std::span<double> theta, Rng& draw) {
    constexpr int kTries = 1000000;
    for (int i = 0; i < kTries; ++i) {
      const Point p = draw_half_ring(draw);
      const double size = p.first - x[0];
      if (size < 0) continue;
      const Point point = turned_back(draw.uniform() < 0.5 ? size : -size, x[1] - p.second);
      if (std::abs(point.first) > 1 || std::abs(point.second) > 1) continue;
      theta[0] = point.first;
      theta[1] = point.second;
      return;
    }
    fail(ErrorKind::numerical,
         "{}: no posterior sample in {} tries; the observation is far from any simulation", kName,
         kTries);
  });
}

}  // namespace

Task two_moons_task() {
  return {
      .name = kName,
      .description = "Two thin crescents in the plane.",
      .prior =
          same_prior(kDimensions, make_distribution({"uniform", {{"low", -1}, {"high", 1}}, {}})),
      // Observation 1 of the benchmark.
      .truth = {-0.8176656, -0.5756806},
      .observation = {-0.6396706, 0.16234657},
      .budget = 10000,
      .simulator =
          [] {
            return make_simulator(
                kDimensions, [](std::span<double> x, std::span<const double> theta, Rng noise) {
                  const Point p = draw_half_ring(noise);
                  const Point z = turned(theta[0], theta[1]);
                  x[0] = p.first - std::abs(z.first);
                  x[1] = p.second + z.second;
                });
          },
      .reference = {log_likelihood, reference_samples, {}},
  };
}

}  // namespace hone
