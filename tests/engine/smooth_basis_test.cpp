// Smooth functions of the place, and what a regression gains by them.
#include "hone/engine/smooth_basis.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "hone/core/rng.h"
#include "hone/engine/ridge.h"

namespace hone {
namespace {

constexpr Index kColumns = 120, kRows = 150, kNew = 400;

EmbeddingOptions series() {
  EmbeddingOptions options{.kind = EmbeddingKind::blocks, .hidden = {}};
  options.blocks = {{.kind = DataKind::series, .shape = {kColumns}, .channels = {}, .features = 0}};
  return options;
}

TEST(SmoothBasis, HasFunctionsOfNormOneThatCoverTheBlock) {
  for (const Matrix<float>& basis : smooth_bases(series(), 0)) {
    ASSERT_EQ(basis.rows(), kColumns);
    for (Index k = 0; k < basis.cols(); ++k) {
      double square = 0;
      for (Index j = 0; j < kColumns; ++j) square += double(basis(j, k)) * double(basis(j, k));
      EXPECT_NEAR(square, 1, 1e-5);
    }
    for (Index j = 0; j < kColumns; ++j) {
      double most = 0;
      for (const float value : basis.row(j)) most = std::max(most, std::abs(double(value)));
      EXPECT_GT(most, 0.05);
    }
  }
}

TEST(SmoothBasis, LeavesOtherColumnsAlone) {
  EmbeddingOptions mixed = series();
  mixed.blocks.push_back({.kind = DataKind::vector, .shape = {2}, .channels = {}, .features = 0});
  const std::vector<Matrix<float>> bases = smooth_bases(mixed, 3);
  ASSERT_FALSE(bases.empty());
  for (const Matrix<float>& basis : bases) {
    ASSERT_EQ(basis.rows(), kColumns + 5);
    for (Index i = 0; i < 5; ++i) {
      EXPECT_EQ(basis(kColumns + i, basis.cols() - 5 + i), 1);
      EXPECT_EQ(basis(kColumns + i, 0), 0);
    }
  }
  mixed.blocks.erase(mixed.blocks.begin());
  EXPECT_TRUE(smooth_bases(mixed, 0).empty());
}

// Mean squared error of new rows, where the target is x w + noise.
double error_of(const std::vector<double>& w, bool with_bases) {
  Rng rng(7);
  Matrix<float> x(kRows + kNew, kColumns), t(kRows + kNew, 1);
  for (Index i = 0; i < x.rows(); ++i) {
    double sum = 0.5 * rng.normal();
    for (Index j = 0; j < kColumns; ++j) {
      x(i, j) = static_cast<float>(rng.normal());
      sum += w[std::size_t(j)] * double(x(i, j));
    }
    t(i, 0) = static_cast<float>(sum);
  }
  const MatrixRows source(x.view());
  const Standardizer as_they_are{std::vector<float>(kColumns, 0), std::vector<float>(kColumns, 1)};
  SegmentReader reader(source, as_they_are, 8, Index{1} << 22);
  std::vector<Index> rows(kRows);
  std::iota(rows.begin(), rows.end(), Index{0});
  std::vector<Matrix<float>> bases;
  if (with_bases) bases = smooth_bases(series(), 0);
  const RidgeFit fit = fit_ridge(reader, std::vector<char>(kColumns, 1), t, rows, bases);
  double error = 0;
  for (Index i = kRows; i < x.rows(); ++i) {
    double off = -double(t(i, 0));
    for (Index j = 0; j < kColumns; ++j) off += double(x(i, j)) * double(fit.weights(j, 0));
    error += off * off / kNew;
  }
  return error;
}

TEST(SmoothBasis, SavesSimulationsWhereWeightsAreSmoothAndCostsNothingWhereTheyAreNot) {
  std::vector<double> smooth, rough;
  Rng rng(3);
  for (Index j = 0; j < kColumns; ++j) {
    smooth.push_back(0.15 * std::sin(0.1 * double(j)));
    rough.push_back(0.11 * rng.normal());
  }
  // The noise alone is 0.25. Of 120 free weights and 150 rows, the fit adds about as much as the
  // noise; of some 20, a seventh of it.
  EXPECT_LT(error_of(smooth, true), 0.36);
  EXPECT_GT(error_of(smooth, false), 0.45);
  EXPECT_LT(error_of(rough, true), 1.02 * error_of(rough, false));
}

}  // namespace
}  // namespace hone
