// Tempered sampling against densities whose moments and integrals are known.
#include "hone/posterior/tempered_sampling.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "files/test_files.h"
#include "inference/support.h"

namespace hone {
namespace {

using LogDensity = std::function<std::vector<double>(const Matrix<double>&)>;

LogDensity row_by_row(const std::function<double(std::span<const double>)>& one) {
  return [one](const Matrix<double>& points) {
    std::vector<double> values;
    for (Index i = 0; i < points.rows(); ++i) values.push_back(one(points.row(i)));
    return values;
  };
}

// Five independent normals, far narrower than the cube: a blind draw hits them once in 10^6.
TEST(TemperedSampling, FindsANarrowNormalAndItsIntegral) {
  constexpr double kSigma = 0.02;
  const auto density = row_by_row([](std::span<const double> point) {
    double sum = 0;
    for (const double value : point) sum -= 0.5 * std::pow((value - 0.3) / kSigma, 2);
    return sum;
  });
  const TemperedSamples samples =
      tempered_samples(density, 5, test::test_rng(), {.particles = 2048});
  const double n = 2048;
  for (Index d = 0; d < 5; ++d) {
    const auto values = test::column(samples.points, d);
    // Neighbours in the last moves are alike: a quarter of the particles counts.
    const double error = kSigma / std::sqrt(n / 4);
    EXPECT_LT(std::abs(test::mean_of(values) - 0.3), 4 * error);
    EXPECT_GT(std::abs(test::mean_of(values) - 0.3 - kSigma), 4 * error);  // the control
    EXPECT_NEAR(std::sqrt(test::variance_of(values)) / kSigma, 1, 4 / std::sqrt(2 * n / 4));
  }
  const double log_integral = 5 * std::log(kSigma * std::sqrt(2 * std::numbers::pi));
  EXPECT_NEAR(samples.log_mean, log_integral, 0.3);
  EXPECT_GT(samples.distinct, 2000);
  EXPECT_GT(samples.powers, 3);
}

// Two modes in each of three directions, one of them three times as heavy as the other.
TEST(TemperedSampling, GivesEveryModeItsShare) {
  const auto density = row_by_row([](std::span<const double> point) {
    double product = 0;
    for (const double value : point) {
      const auto mode = [&](double at) {
        return std::exp(-0.5 * std::pow((value - at) / 0.02, 2));
      };
      product += std::log(3 * mode(0.25) + mode(0.75) + 1e-300);
    }
    return product;
  });
  const TemperedSamples samples =
      tempered_samples(density, 3, test::test_rng(), {.particles = 2048});
  for (Index d = 0; d < 3; ++d) {
    double heavy = 0;
    for (Index i = 0; i < samples.points.rows(); ++i) heavy += samples.points(i, d) < 0.5;
    EXPECT_NEAR(heavy / 2048, 0.75, 4 * std::sqrt(0.75 * 0.25 / (2048.0 / 8)));
    EXPECT_GT(std::abs(heavy / 2048 - 0.5), 0.1);  // the control: equal modes
  }
}

TEST(TemperedSampling, StaysInsideAConstraintAndRepeatsItself) {
  const auto density = row_by_row([](std::span<const double> point) {
    return point[0] + point[1] < 1 ? 0.0 : -std::numeric_limits<double>::infinity();
  });
  const TemperedSamples samples = tempered_samples(density, 2, Rng(4), {.particles = 256});
  for (Index i = 0; i < 256; ++i) EXPECT_LT(samples.points(i, 0) + samples.points(i, 1), 1);
  const TemperedSamples again = tempered_samples(density, 2, Rng(4), {.particles = 256});
  const TemperedSamples other = tempered_samples(density, 2, Rng(5), {.particles = 256});
  EXPECT_EQ(test::column(samples.points, 0), test::column(again.points, 0));
  EXPECT_NE(test::column(samples.points, 0), test::column(other.points, 0));
}

TEST(TemperedSampling, RefusesADensityThatIsNowhereOrNoNumber) {
  const auto nowhere = row_by_row([](auto) { return -std::numeric_limits<double>::infinity(); });
  error_text([&] { tempered_samples(nowhere, 2, Rng(1)); }, ErrorKind::numerical);
  const auto wrong = row_by_row([](auto) { return std::nan(""); });
  error_text([&] { tempered_samples(wrong, 2, Rng(1)); }, ErrorKind::numerical);
}

}  // namespace
}  // namespace hone
