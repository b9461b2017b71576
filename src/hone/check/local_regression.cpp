#include "hone/check/local_regression.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hone/core/cholesky.h"

namespace hone {
namespace {

// Of the simulations, nearest to the data: near enough to be local, many enough for a regression.
constexpr double kShare = 0.2;
constexpr Index kFewestNeighbours = 60;

}  // namespace

LocalRegression::LocalRegression(const Matrix<double>& s, MatrixView<const double> theta)
    : s_(s), theta_(theta) {
  const double m = static_cast<double>(s.rows());
  for (Index d = 0; d < s.cols(); ++d) {
    double mean = 0, square = 0;
    for (Index i = 0; i < s.rows(); ++i) mean += s(i, d) / m;
    for (Index i = 0; i < s.rows(); ++i) square += std::pow(s(i, d) - mean, 2) / m;
    inverse_.push_back(square > 0 ? 1 / std::sqrt(square) : 0);
  }
}

double LocalRegression::offset(Index i, std::size_t d, std::span<const double> target) const {
  return (s_.row(i)[d] - target[d]) * inverse_[d];
}

void LocalRegression::fill(std::vector<double>& row, Index i,
                           std::span<const double> target) const {
  row[0] = 1;
  for (std::size_t d = 0; d < target.size(); ++d) row[d + 1] = offset(i, d, target);
}

// Epanechnikov's, as wide as the neighbours need.
std::vector<double> LocalRegression::kernel(std::span<const double> target) const {
  std::vector<double> squares;
  for (Index i = 0; i < s_.rows(); ++i) {
    double square = 0;
    for (std::size_t d = 0; d < target.size(); ++d) square += std::pow(offset(i, d, target), 2);
    squares.push_back(square);
  }
  const Index wanted = std::max({kFewestNeighbours, 4 * s_.cols(),
                                 static_cast<Index>(kShare * static_cast<double>(s_.rows()))});
  std::vector<double> sorted = squares;
  const auto at = sorted.begin() + std::min(wanted, s_.rows() - 1);
  std::nth_element(sorted.begin(), at, sorted.end());
  const double width = *at * (1 + 1e-9) + 1e-300;
  for (double& square : squares) square = std::max(0.0, 1 - square / width);
  return squares;
}

LocalEstimate LocalRegression::at(std::span<const double> target) const {
  const std::vector<double> weights = kernel(target);
  const Index unknowns = s_.cols() + 1;
  Matrix<double> normal(unknowns, unknowns);
  Matrix<double> right(theta_.cols(), unknowns);
  std::vector<double> row(static_cast<std::size_t>(unknowns));
  double total = 0;
  for (Index i = 0; i < s_.rows(); ++i) {
    const double weight = weights[static_cast<std::size_t>(i)];
    if (weight == 0) continue;
    total += weight;
    fill(row, i, target);
    for (Index a = 0; a < unknowns; ++a) {
      for (Index b = 0; b <= a; ++b) {
        normal(a, b) += weight * row[std::size_t(a)] * row[std::size_t(b)];
      }
      for (Index d = 0; d < theta_.cols(); ++d) {
        right(d, a) += weight * row[std::size_t(a)] * theta_(i, d);
      }
    }
  }
  for (Index a = 0; a < unknowns; ++a) normal(a, a) += 1e-6 * total;
  const Matrix<double> factor = cholesky(normal);
  LocalEstimate estimate;
  for (Index d = 0; d < theta_.cols(); ++d) {
    std::vector<double> b(right.row(d).begin(), right.row(d).end());
    solve_lower(b, factor, b);
    solve_lower_transposed(b, factor, b);
    double square = 0;
    for (Index i = 0; i < s_.rows(); ++i) {
      const double weight = weights[static_cast<std::size_t>(i)];
      if (weight == 0) continue;
      fill(row, i, target);
      const double fitted = std::inner_product(b.begin(), b.end(), row.begin(), 0.0);
      square += weight * std::pow(theta_(i, d) - fitted, 2) / total;
    }
    estimate.mean.push_back(b[0]);
    estimate.error.push_back(std::sqrt(square) + 1e-12);
  }
  return estimate;
}

}  // namespace hone
