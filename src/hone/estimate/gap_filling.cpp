#include "hone/estimate/gap_filling.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hone/core/cholesky.h"
#include "hone/core/error.h"
#include "hone/core/named_array.h"
#include "hone/core/parallel.h"
#include "hone/estimate/data_regression.h"

namespace hone {
namespace {

// The density forgets where it began, means for all gaps, as fast as values are there: with half of
// them missing in half of the steps.
constexpr int kTurns = 8;

// Columns of a row that are missing.
std::vector<Index> gaps_of(std::span<const float> row) {
  std::vector<Index> gaps;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (std::isnan(row[j])) gaps.push_back(static_cast<Index>(j));
  }
  return gaps;
}

struct LinearDensity {
  Matrix<double> mean;       // (1 + parameters, columns)
  Matrix<double> precision;  // Q (columns, columns)
};

LinearDensity density_of(const RegressionRows& rows) {
  constexpr double kShrinkage = 0.02;
  const DataRegression regression(
      rows, {.degree = 1, .scatter = Scatter::correlated, .shrinkage = kShrinkage});
  const std::vector<NamedArray> arrays = regression.to_arrays();
  const auto matrix = [&](const char* name, Index count) {
    Matrix<double> result(count, rows.y.cols());
    std::ranges::copy(array_values<double>(arrays, name, std::vector<Index>{count, rows.y.cols()}),
                      result.data());
    return result;
  };
  return {matrix("mean", 1 + rows.z.cols()), matrix("precision", rows.y.cols())};
}

// Given the others, values m are normal with the precision Q_mm and the mean mu_m - Q_mm^-1 Q_mo
// (y_o - mu_o).
void draw(std::span<double> y, const std::vector<Index>& gaps, std::span<const double> z,
          const LinearDensity& density, Rng rng) {
  std::vector<double> away(y.begin(), y.end());  // y - mu; 0 where missing
  std::vector<double> mean(y.size());
  for (std::size_t j = 0; j < y.size(); ++j) {
    const Index column = static_cast<Index>(j);
    mean[j] = density.mean(0, column);
    for (std::size_t d = 0; d < z.size(); ++d) {
      mean[j] += z[d] * density.mean(static_cast<Index>(d) + 1, column);
    }
    away[j] -= mean[j];
  }
  for (const Index j : gaps) away[static_cast<std::size_t>(j)] = 0;
  const Index count = std::ssize(gaps);
  Matrix<double> own(count, count);
  std::vector<double> pull(gaps.size()), noise(gaps.size());
  for (Index a = 0; a < count; ++a) {
    const Index column = gaps[static_cast<std::size_t>(a)];
    for (Index b = 0; b < count; ++b) {
      own(a, b) = density.precision(column, gaps[static_cast<std::size_t>(b)]);
    }
    for (std::size_t j = 0; j < away.size(); ++j) {
      pull[static_cast<std::size_t>(a)] -=
          density.precision(column, static_cast<Index>(j)) * away[j];
    }
  }
  const Matrix<double> root =
      cholesky(own.view());  // L: L^-T times white noise has precision L L^T
  solve_lower(pull, root.view(), pull);
  for (std::size_t a = 0; a < pull.size(); ++a) pull[a] += rng.normal();
  solve_lower_transposed(pull, root.view(), pull);
  for (std::size_t a = 0; a < gaps.size(); ++a) {
    const auto j = static_cast<std::size_t>(gaps[a]);
    y[j] = mean[j] + pull[a];
  }
}

}  // namespace

void fill_gaps(MatrixView<float> y, const Matrix<double>& z, const Rng& rng) {
  HONE_ASSERT(y.rows() == z.rows());
  std::vector<std::vector<Index>> gaps;
  RegressionRows rows{Matrix<double>(y.rows(), y.cols()), Matrix<double>(z.rows(), z.cols())};
  std::copy_n(z.data(), z.rows() * z.cols(), rows.z.data());
  for (Index i = 0; i < y.rows(); ++i) {
    gaps.push_back(gaps_of(y.row(i)));
    std::ranges::transform(y.row(i), rows.y.row(i).begin(), [](float value) {
      return std::isnan(value) ? 0 : static_cast<double>(value);
    });
  }
  for (int turn = 0; turn < kTurns; ++turn) {
    const LinearDensity density = density_of(rows);
    const Rng own = rng.child("turn", static_cast<std::uint64_t>(turn));
    parallel_for(y.rows(), [&](Index i) {
      const auto& missing = gaps[static_cast<std::size_t>(i)];
      if (missing.empty()) return;
      draw(rows.y.row(i), missing, rows.z.row(i), density,
           own.child("row", static_cast<std::uint64_t>(i)));
    });
  }
  for (Index i = 0; i < y.rows(); ++i) {
    for (const Index j : gaps[static_cast<std::size_t>(i)]) {
      y(i, j) = static_cast<float>(rows.y(i, j));
    }
  }
}

}  // namespace hone
