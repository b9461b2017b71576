#include "hone/problem/noise_density.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace hone {
namespace {

NoiseSpec of_kind(NoiseKind kind) {
  NoiseSpec spec;
  spec.kind = kind;
  return spec;
}
NoiseSpec gaussian(std::vector<double> sigma, std::vector<double> covariance = {}) {
  NoiseSpec spec = of_kind(NoiseKind::gaussian);
  spec.sigma = std::move(sigma);
  spec.covariance = std::move(covariance);
  return spec;
}

double density(const NoiseSpec& spec, std::vector<float> x, std::vector<float> noiseless) {
  return noise_density(spec, std::ssize(x))(x, noiseless);
}

TEST(NoiseDensity, OfIndependentGaussianNoiseIsAProduct) {
  const auto normal = [](double off, double sigma) {
    return -0.5 * std::pow(off / sigma, 2) - std::log(sigma) - 0.5 * std::log(2 * std::numbers::pi);
  };
  const NoiseSpec one = gaussian({0.5});
  EXPECT_NEAR(density(one, {1, 2}, {0.5, 3}), normal(0.5, 0.5) + normal(-1, 0.5), 1e-6);
  const NoiseSpec each = gaussian({0.5, 2});
  EXPECT_NEAR(density(each, {1, 2}, {0.5, 3}), normal(0.5, 0.5) + normal(-1, 2), 1e-6);
}

TEST(NoiseDensity, OfCorrelatedGaussianNoiseKnowsItsCovariance) {
  const NoiseSpec spec = gaussian({}, {2, 0.6, 0.6, 1});
  // By hand: determinant 1.64, inverse (1, -0.6; -0.6, 2) / 1.64.
  const double a = 0.5, b = -1;
  const double square = (a * a - 2 * 0.6 * a * b + 2 * b * b) / 1.64;
  EXPECT_NEAR(density(spec, {1, 2}, {0.5, 3}),
              -0.5 * square - 0.5 * std::log(1.64) - std::log(2 * std::numbers::pi), 1e-6);
}

TEST(NoiseDensity, OfPoissonNoiseAddsUpToOne) {
  const NoiseSpec spec = of_kind(NoiseKind::poisson);
  double sum = 0;
  for (int count = 0; count < 60; ++count) sum += std::exp(density(spec, {float(count)}, {7.5F}));
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_EQ(density(spec, {0}, {0}), 0);
  EXPECT_EQ(density(spec, {1}, {0}), -INFINITY);
  EXPECT_EQ(density(spec, {1.5}, {2}), -INFINITY);
}

TEST(NoiseDensity, IsNotKnownOfOtherNoise) {
  EXPECT_EQ(noise_density({}, 2), nullptr);
  EXPECT_EQ(noise_density(of_kind(NoiseKind::simulator), 2), nullptr);
  EXPECT_EQ(noise_density(gaussian({1, 0}), 2), nullptr);
}

}  // namespace
}  // namespace hone
