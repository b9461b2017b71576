// Kernel densities of samples whose density is known.
#include "hone/posterior/kernel_density.h"

#include <cmath>

#include <gtest/gtest.h>

#include "hone/posterior/sample_density.h"
#include "inference/support.h"

namespace hone {
namespace {

WeightedPoints equal(Matrix<double> points) {
  const auto n = static_cast<std::size_t>(points.rows());
  return {std::move(points), std::vector<double>(n, 1 / static_cast<double>(n))};
}

WeightedPoints normal_points(Index rows, Index dimensions, double mean, double sigma, Rng rng) {
  Matrix<double> points(rows, dimensions);
  for (Index i = 0; i < rows; ++i) {
    for (double& value : points.row(i)) value = mean + sigma * rng.normal();
  }
  return equal(std::move(points));
}

double normal_density(double z) {
  return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
}

// Mean total variation distance of good kernel densities of 2,000 points is about 0.03.
TEST(KernelDensity, FollowsANormalDensity) {
  const KernelDensity density(normal_points(2000, 1, 0, 1, test::test_rng()), {false});
  Matrix<double> at(401, 1);
  for (Index i = 0; i < 401; ++i) at(i, 0) = -4 + 0.02 * static_cast<double>(i);
  const std::vector<double> values = density.densities(at);
  double distance = 0, shifted = 0, total = 0;
  for (Index i = 0; i < 401; ++i) {
    const double value = values[std::size_t(i)];
    total += 0.02 * value;
    distance += 0.01 * std::abs(value - normal_density(at(i, 0)));
    shifted += 0.01 * std::abs(value - normal_density(at(i, 0) - 0.3));
  }
  EXPECT_NEAR(total, 1, 0.01);
  EXPECT_LT(distance, 0.06);
  EXPECT_GT(shifted, 0.06);  // the control
}

TEST(KernelDensity, SaysTheSameFromATableAndPointByPoint) {
  for (const Index dimensions : {1, 2}) {
    const std::vector<bool> bounded(std::size_t(dimensions), true);
    const KernelDensity density(normal_points(500, dimensions, 0.5, 0.1, test::test_rng()),
                                bounded);
    Matrix<double> at(3000, dimensions);
    Rng rng = test::test_rng().child("at");
    for (Index i = 0; i < 3000; ++i) {
      for (double& value : at.row(i)) value = rng.uniform();
    }
    const auto many = density.densities(at);
    const auto few = density.densities(at.view().rows(0, 300));
    const double peak = *std::ranges::max_element(few);
    for (std::size_t i = 0; i < 300; ++i) EXPECT_NEAR(many[i], few[i], 0.02 * peak);
  }
}

// Points uniform up to the ends: without reflection half of the density is missing there.
TEST(KernelDensity, LosesNothingAtTheEnds) {
  Matrix<double> points(2000, 1);
  Rng rng = test::test_rng();
  for (Index i = 0; i < 2000; ++i) points(i, 0) = rng.uniform();
  Matrix<double> ends(2, 1);
  ends(0, 0) = 1e-6;
  ends(1, 0) = 1 - 1e-6;
  Matrix<double> copy(2000, 1);
  std::copy_n(points.data(), 2000, copy.data());
  const auto reflected = KernelDensity(equal(std::move(points)), {true}).densities(ends);
  const auto lost = KernelDensity(equal(std::move(copy)), {false}).densities(ends);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(reflected[i], 1, 0.3);
    EXPECT_LT(lost[i], 0.75);
  }
}

TEST(KernelDensity, SeesTwoNarrowModesAndIsNotFooledByCopies) {
  Matrix<double> points(1000, 1);
  Rng rng = test::test_rng();
  for (Index i = 0; i < 1000; ++i) points(i, 0) = (i % 2 == 0 ? 0.2 : 0.8) + 0.01 * rng.normal();
  for (Index i = 500; i < 1000; ++i) points(i, 0) = points(i - 500, 0);  // each twice
  const KernelDensity density(equal(std::move(points)), {true});
  EXPECT_LT(density.widths()[0], 0.02);
  EXPECT_GT(density.widths()[0], 0.0005);
}

// Draws have the mean and the width of the points, a little wider by the kernel.
TEST(SampleDensity, DrawsAndAnswersInUnitsOfThePrior) {
  const TruncatedPrior prior(test::normal_prior(1, 2, 3), Region::whole(1));
  Matrix<double> local(4000, 1);
  Rng rng = test::test_rng();
  for (Index i = 0; i < 4000; ++i) local(i, 0) = prior.to_local(0, 8 + 0.1 * rng.normal());
  const SampleDensity density(prior, {0}, equal(std::move(local)));
  const Matrix<double> theta = local_to_theta(prior, density.draw(4000, test::test_rng()));
  const auto values = test::column(theta, 0);
  EXPECT_NEAR(test::mean_of(values), 8, 4 * 0.1 / std::sqrt(2000));
  EXPECT_NEAR(std::sqrt(test::variance_of(values)), 0.1, 0.01);
  // The density in local coordinates times that of the prior is the density of theta.
  Matrix<float> at(1, 1);
  at(0, 0) = static_cast<float>(prior.to_local(0, 8));
  float value = 0;
  density.log_densities({&value, 1}, at);
  const double expected = normal_density(0) / 0.1, prior_density = normal_density(2) / 3;
  EXPECT_NEAR(std::exp(static_cast<double>(value)) * prior_density / expected, 1, 0.1);
}

}  // namespace
}  // namespace hone
