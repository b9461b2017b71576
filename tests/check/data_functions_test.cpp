// Functions of the data that regressions are made from: right values for constructed data, and
// finite ones for all others.

#include "hone/check/data_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "hone/check/series_functions.h"
#include "hone/core/rng.h"

namespace hone {
namespace {

Matrix<float> normal_rows(Index rows, Index columns, std::uint64_t seed) {
  Matrix<float> x(rows, columns);
  Rng rng(seed);
  for (Index i = 0; i < rows; ++i) rng.fill_normal(x.row(i));
  return x;
}

// Where append_series_functions() puts them.
constexpr std::size_t kProduct1 = 1, kSlope = 5, kLogVariance = 6;

TEST(SeriesFunctions, OfAnAutoregressionSayItsCoefficientAndItsNoise) {
  constexpr int kSteps = 4000;
  constexpr double kCoefficient = 0.6, kNoise = 0.5;
  Rng rng(1);
  std::vector<double> x{0};
  while (std::ssize(x) < kSteps) x.push_back(kCoefficient * x.back() + kNoise * rng.normal());
  std::vector<float> out;
  append_series_functions(out, x);
  ASSERT_EQ(out.size(), 4U + 2 + 2 + 4 + 1 + 1);
  const double variance = kNoise * kNoise / (1 - kCoefficient * kCoefficient);
  const double error = 4 / std::sqrt(static_cast<double>(kSteps));
  EXPECT_NEAR(static_cast<double>(out[kSlope]), kCoefficient, error);
  EXPECT_NEAR(static_cast<double>(out[kProduct1]), kCoefficient * variance, 2 * error * variance);
  EXPECT_NEAR(static_cast<double>(out[kLogVariance]), std::log(kNoise * kNoise),
              std::numbers::sqrt2 * error);
}

TEST(SeriesFunctions, OfALogisticMapLeaveNoResidual) {
  std::vector<double> x{0.3};  // x' = 1.8 - x^2: a line leaves half of it, a cubic nothing
  while (x.size() < 60) x.push_back(1.8 - x.back() * x.back());
  std::vector<float> out;
  append_series_functions(out, x);
  EXPECT_GT(out[kLogVariance], -2.0F);
  EXPECT_LT(out.back(), -10.0F);
}

TEST(SeriesFunctions, AreFiniteForConstantAndShortSeries) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{50}}) {
    std::vector<float> out;
    append_series_functions(out, std::vector<double>(size, 1.5));
    for (const float value : out) EXPECT_TRUE(std::isfinite(value)) << size;
  }
}

TEST(DataFunctions, OfASetDoNotDependOnItsOrder) {
  constexpr Index kElements = 600;  // more columns than have functions of their own
  const DataDescription set({{"x", DataKind::set, {kElements}}});
  Matrix<float> x = normal_rows(20, kElements, 1);
  std::ranges::reverse_copy(x.row(0), x.row(1).begin());
  const Matrix<float> out = DataFunctions(set, x)(x);
  ASSERT_GT(out.cols(), 5);
  for (Index k = 0; k < out.cols(); ++k) EXPECT_NEAR(out(0, k), out(1, k), 1e-5F);
  EXPECT_NE(out(0, 0), out(2, 0));  // negative control
}

TEST(DataFunctions, AreFiniteWhateverTheDataAre) {
  const std::vector<DataDescription> kinds{
      DataDescription(), DataDescription({{"x", DataKind::series, {16, 2}}}),
      DataDescription({{"x", DataKind::image, {4, 8}}}),
      DataDescription({{"x", DataKind::set, {16, 2}}}),
      DataDescription({{"a", DataKind::vector, {12}}, {"b", DataKind::series, {20}}})};
  Matrix<float> reference = normal_rows(50, 32, 2), x = normal_rows(3, 32, 3);
  for (float& value : x.row(0)) value = std::numeric_limits<float>::quiet_NaN();
  for (float& value : x.row(1)) value = 1e30F;
  for (Index i = 0; i < reference.rows(); ++i) {
    reference(i, 3) = 7;  // constant
    reference(i, 4) = i % 3 == 0 ? std::numeric_limits<float>::quiet_NaN() : 1.0F;
  }
  for (const DataDescription& kind : kinds) {
    const Matrix<float> out = DataFunctions(kind, reference)(x);
    ASSERT_GT(out.cols(), 64);
    for (Index i = 0; i < out.rows(); ++i) {
      for (const float value : out.row(i)) EXPECT_TRUE(std::isfinite(value));
    }
  }
}

TEST(DataFunctions, ThereAreNoneOfALongVector) {
  const Matrix<float> x = normal_rows(2, 3000, 4);
  EXPECT_EQ(DataFunctions({}, x)(x).cols(), 0);
}

}  // namespace
}  // namespace hone
