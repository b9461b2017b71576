#include "hone/posterior/metropolis.h"

#include <cmath>

#include <gtest/gtest.h>

#include "hone/core/error.h"

namespace hone {
namespace {

// Two normals with correlation 0.8.
double log_density(std::span<const double> x) {
  return -(x[0] * x[0] - 1.6 * x[0] * x[1] + x[1] * x[1]) / (2 * 0.36);
}

Matrix<double> factor(double scale) {
  Matrix<double> l(2, 2);
  l(0, 0) = scale;
  l(1, 0) = 0.8 * scale;
  l(1, 1) = 0.6 * scale;
  return l;
}

TEST(Metropolis, FollowsTheDensity) {
  const Index steps = 100000;
  const MetropolisResult chain = metropolis(log_density, {0, 0}, factor(1.7), steps, Rng(4));
  double mean = 0, square = 0, product = 0;
  for (Index i = 0; i < steps; ++i) {
    mean += chain.points(i, 0) / static_cast<double>(steps);
    square += chain.points(i, 0) * chain.points(i, 0) / static_cast<double>(steps);
    product += chain.points(i, 0) * chain.points(i, 1) / static_cast<double>(steps);
  }
  // About eight steps make an independent one: standard errors 0.009, 0.013 and 0.011.
  EXPECT_NEAR(mean, 0, 0.04);
  EXPECT_NEAR(square, 1, 0.05);
  EXPECT_NEAR(product, 0.8, 0.045);
  EXPECT_GT(std::abs(square - 0.36), 0.05);  // of one given the other
  EXPECT_GT(chain.acceptance, 0.2);
  EXPECT_LT(chain.acceptance, 0.6);
}

TEST(Metropolis, RepeatsAPointWhereAStepIsRefused) {
  const MetropolisResult chain = metropolis(log_density, {0, 0}, factor(1000), 50, Rng(1));
  EXPECT_EQ(chain.points(49, 0), 0);
  EXPECT_EQ(chain.acceptance, 0);
}

TEST(Metropolis, RefusesAStartWithoutDensity) {
  const auto nowhere = [](std::span<const double>) { return -HUGE_VAL; };
  EXPECT_THROW(metropolis(nowhere, {0, 0}, factor(1), 10, Rng(1)), Error);
}

}  // namespace
}  // namespace hone
