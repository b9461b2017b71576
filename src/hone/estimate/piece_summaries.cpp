#include "hone/estimate/piece_summaries.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hone/core/cholesky.h"
#include "hone/core/parallel.h"
#include "hone/estimate/polynomial_basis.h"

namespace hone {

Index moment_count(Index columns, bool may_be_absent) {
  return columns + columns * (columns + 1) / 2 + (may_be_absent ? 1 : 0);
}

Matrix<float> element_moments(MatrixView<const float> x, Index elements, bool may_be_absent) {
  const Index columns = x.cols() / elements;
  Matrix<float> moments(x.rows(), moment_count(columns, may_be_absent));
  std::vector<double> sums(static_cast<std::size_t>(moment_count(columns)));
  for (Index i = 0; i < x.rows(); ++i) {
    std::ranges::fill(sums, 0.0);
    Index there = 0;
    for (Index e = 0; e < elements; ++e) {
      const std::span<const float> values = x.row(i).subspan(static_cast<std::size_t>(e * columns),
                                                             static_cast<std::size_t>(columns));
      if (may_be_absent && has_gap(values)) continue;
      ++there;
      auto sum = sums.begin();
      for (const float value : values) *sum++ += static_cast<double>(value);
      for (std::size_t a = 0; a < values.size(); ++a) {
        for (std::size_t b = a; b < values.size(); ++b) {
          *sum++ += static_cast<double>(values[a]) * static_cast<double>(values[b]);
        }
      }
    }
    std::ranges::transform(sums, moments.row(i).begin(), [&](double sum) {
      return static_cast<float>(sum / static_cast<double>(std::max<Index>(1, there)));
    });
    if (may_be_absent) moments.row(i).back() = std::log1p(static_cast<float>(there));
  }
  return moments;
}

namespace {

// Values, as scores, beyond which a square would drown all others.
constexpr float kFarthest = 8;

// A bend of one channel, products of a few; of many their number would grow too fast.
int degree_of(Index channels) {
  return channels == 1 ? 3 : channels <= 4 ? 2 : 1;
}

// The rows of `series` as standard scores.
Matrix<double> scores_of(MatrixView<const float> series, const Standardizer& scores) {
  Matrix<double> result(series.rows(), series.cols());
  for (Index t = 0; t < result.rows(); ++t) {
    for (Index c = 0; c < result.cols(); ++c) {
      const auto at = static_cast<std::size_t>(c);
      const float score = (scores.softened(series(t, c), c) - scores.mean[at]) * scores.inverse[at];
      result(t, c) = static_cast<double>(std::clamp(score, -kFarthest, kFarthest));
    }
  }
  return result;
}

// Least squares of y on the rows of `basis`, y (n): coefficients, then log of the mean square left.
void append_regression(std::vector<double>& out, const Matrix<double>& basis,
                       MatrixView<const double> factor, std::span<const double> y) {
  const Index size = basis.cols();
  std::vector<double> right(static_cast<std::size_t>(size)), half(right.size()),
      coefficients(right.size());
  for (Index t = 0; t < basis.rows(); ++t) {
    for (Index a = 0; a < size; ++a) {
      right[static_cast<std::size_t>(a)] += basis(t, a) * y[static_cast<std::size_t>(t)];
    }
  }
  solve_lower(half, factor, right);
  solve_lower_transposed(coefficients, factor, half);
  double left = 0;
  for (Index t = 0; t < basis.rows(); ++t) {
    double rest = y[static_cast<std::size_t>(t)];
    for (Index a = 0; a < size; ++a)
      rest -= coefficients[static_cast<std::size_t>(a)] * basis(t, a);
    left += rest * rest;
  }
  out.insert(out.end(), coefficients.begin(), coefficients.end());
  // Of a series that a polynomial follows exactly nothing would be left.
  out.push_back(std::log(left / static_cast<double>(basis.rows()) + 1e-8));
}

std::vector<double> summaries_of(const Matrix<double>& series) {
  const Index steps = series.rows() - 1, channels = series.cols();
  std::vector<double> out(series.row(0).begin(), series.row(0).end());
  for (Index c = 0; c < channels; ++c) {
    double sum = 0, squares = 0;
    for (Index t = 0; t < series.rows(); ++t) {
      sum += series(t, c);
      squares += series(t, c) * series(t, c);
    }
    out.push_back(sum / static_cast<double>(series.rows()));
    out.push_back(squares / static_cast<double>(series.rows()));
  }
  const PolynomialBasis polynomials(channels, degree_of(channels));
  Matrix<double> basis(steps, polynomials.size()), normal(basis.cols(), basis.cols());
  for (Index t = 0; t < steps; ++t) {
    polynomials.values(basis.row(t), series.row(t));
    for (Index a = 0; a < basis.cols(); ++a) {
      for (Index b = 0; b < basis.cols(); ++b) normal(a, b) += basis(t, a) * basis(t, b);
    }
  }
  // Short series leave some coefficients open: towards 0.
  for (Index a = 0; a < basis.cols(); ++a) normal(a, a) += 0.01 * static_cast<double>(steps) + 1e-3;
  const Matrix<double> factor = cholesky(normal);
  std::vector<double> next(static_cast<std::size_t>(steps));
  for (Index c = 0; c < channels; ++c) {
    for (Index t = 0; t < steps; ++t) next[static_cast<std::size_t>(t)] = series(t + 1, c);
    append_regression(out, basis, factor, next);
  }
  return out;
}

}  // namespace

Index series_summary_count(Index channels) {
  return channels * (4 + PolynomialBasis::size_of(channels, degree_of(channels)));
}

Matrix<float> series_summaries(MatrixView<const float> x, Index channels,
                               const Standardizer& scores) {
  Matrix<float> result(x.rows(), series_summary_count(channels));
  parallel_for(x.rows(), [&](Index i) {
    const MatrixView<const float> series(x.row(i).data(), x.cols() / channels, channels);
    const std::vector<double> own = summaries_of(scores_of(series, scores));
    std::ranges::transform(own, result.row(i).begin(),
                           [](double value) { return static_cast<float>(value); });
  });
  return result;
}

}  // namespace hone
