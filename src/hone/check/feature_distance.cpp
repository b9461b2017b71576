#include "hone/check/feature_distance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hone/core/cholesky.h"
#include "hone/core/parallel.h"
#include "hone/core/rng.h"

namespace hone {

double quantile(std::vector<double>& values, double q) {
  const auto at = values.begin() + std::llround(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double ColumnScale::score(double value) const {
  if (std::isnan(value) || !known) return 0;
  const double distance = value - median;
  const double spread = distance < 0 ? spread_below : spread_above;
  if (spread > 0) return distance / spread;
  return distance == 0 ? 0 : std::copysign(100.0, distance);
}

std::vector<ColumnScale> column_scales(MatrixView<const float> rows) {
  std::vector<ColumnScale> scales(static_cast<std::size_t>(rows.cols()));
  parallel_for(rows.cols(), [&](Index c) {
    std::vector<double> values;
    for (Index i = 0; i < rows.rows(); ++i) {
      if (!std::isnan(rows(i, c))) values.push_back(static_cast<double>(rows(i, c)));
    }
    ColumnScale& scale = scales[static_cast<std::size_t>(c)];
    if (values.empty()) {
      scale.known = false;
      return;
    }
    scale.median = quantile(values, 0.5);
    scale.low = quantile(values, 0.025);
    scale.high = quantile(values, 0.975);
    // Two sigma of a normal distribution; the ends are less prone to fall on a value that repeats
    // than quartiles.
    scale.spread_below = (scale.median - scale.low) / 1.96;
    scale.spread_above = (scale.high - scale.median) / 1.96;
    const double both = (scale.spread_below + scale.spread_above) / 2;
    scale.spread_below = std::max(scale.spread_below, 0.1 * both);
    scale.spread_above = std::max(scale.spread_above, 0.1 * both);
  });
  return scales;
}

namespace {

constexpr Index kMostColumns = 64;

// The lower triangle. Shrunk towards its diagonal: few rows, or columns that depend on each other,
// leave directions without any spread.
Matrix<double> covariance_of(const Matrix<double>& rows, const std::vector<double>& mean) {
  const double n = static_cast<double>(rows.rows());
  const Index cols = rows.cols();
  Matrix<double> covariance(cols, cols);
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index a = 0; a < cols; ++a) {
      const double at = rows(i, a) - mean[static_cast<std::size_t>(a)];
      for (Index b = 0; b <= a; ++b) {
        covariance(a, b) += at * (rows(i, b) - mean[static_cast<std::size_t>(b)]) / n;
      }
    }
  }
  const double kept = n / (n + static_cast<double>(cols));
  for (Index a = 0; a < cols; ++a) {
    for (Index b = 0; b < a; ++b) covariance(a, b) *= kept;
    covariance(a, a) = covariance(a, a) * (1 + 1e-9) + 1e-12;
  }
  return covariance;
}

}  // namespace

FeatureDistance::FeatureDistance(MatrixView<const float> reference)
    : scales_(column_scales(reference)) {
  if (reference.cols() > kMostColumns) {
    directions_ = Matrix<float>(kMostColumns, reference.cols());
    for (Index c = 0; c < kMostColumns; ++c) {
      Rng(0).child("projection", static_cast<std::uint64_t>(c)).fill_normal(directions_.row(c));
    }
  }
  const Matrix<double> rows = projected(reference);
  mean_.assign(static_cast<std::size_t>(rows.cols()), 0.0);
  for (Index i = 0; i < rows.rows(); ++i) {
    for (std::size_t c = 0; c < mean_.size(); ++c) {
      mean_[c] += rows(i, static_cast<Index>(c)) / static_cast<double>(rows.rows());
    }
  }
  factor_ = cholesky(covariance_of(rows, mean_));
}

Matrix<double> FeatureDistance::projected(MatrixView<const float> rows) const {
  const bool all = directions_.rows() == 0;
  Matrix<double> result(rows.rows(), all ? rows.cols() : directions_.rows());
  parallel_for(rows.rows(), [&](Index i) {
    std::vector<double> scores;
    for (std::size_t c = 0; c < scales_.size(); ++c) {
      scores.push_back(std::asinh(scales_[c].score(static_cast<double>(rows.row(i)[c]))));
    }
    for (Index c = 0; c < result.cols(); ++c) {
      result(i, c) =
          all ? scores[static_cast<std::size_t>(c)]
              : std::inner_product(scores.begin(), scores.end(), directions_.row(c).begin(), 0.0);
    }
  });
  return result;
}

std::vector<double> FeatureDistance::operator()(MatrixView<const float> rows) const {
  const Matrix<double> points = projected(rows);
  std::vector<double> distances;
  std::vector<double> z(mean_.size());
  for (Index i = 0; i < points.rows(); ++i) {
    for (std::size_t c = 0; c < z.size(); ++c) z[c] = points(i, static_cast<Index>(c)) - mean_[c];
    solve_lower(z, factor_, z);
    distances.push_back(std::sqrt(std::inner_product(z.begin(), z.end(), z.begin(), 0.0)));
  }
  return distances;
}

}  // namespace hone
