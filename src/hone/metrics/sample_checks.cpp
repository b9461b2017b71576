#include "hone/metrics/sample_checks.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"

namespace hone {
namespace {

void check_finite_rows(MatrixView<const double> sample, const char* name, const std::string& what) {
  for (Index i = 0; i < sample.rows(); ++i) {
    for (Index j = 0; j < sample.cols(); ++j) {
      if (std::isfinite(sample(i, j))) continue;
      fail(ErrorKind::input, "{}: row {}, column {} of sample {} is {}: all values must be finite",
           what, i + 1, j + 1, name, sample(i, j));
    }
  }
}

}  // namespace

void check_comparable(MatrixView<const double> a, MatrixView<const double> b, Index least_rows,
                      const std::string& what) {
  if (a.cols() != b.cols() || a.cols() < 1) {
    fail(ErrorKind::input,
         "{}: the samples have {} and {} columns; give the same number, at least one", what,
         a.cols(), b.cols());
  }
  const Index rows = std::min(a.rows(), b.rows());
  if (rows < least_rows) {
    fail(ErrorKind::input, "{}: the samples have {} and {} rows; at least {} are needed", what,
         a.rows(), b.rows(), least_rows);
  }
  check_finite_rows(a, "a", what);
  check_finite_rows(b, "b", what);
}

ColumnMoments column_moments(MatrixView<const double> sample, const std::string& what) {
  ColumnMoments moments;
  const Index rows = sample.rows();
  for (Index j = 0; j < sample.cols(); ++j) {
    double sum = 0, square = 0;
    for (Index i = 0; i < rows; ++i) sum += sample(i, j);
    const double mean = sum / static_cast<double>(rows);
    for (Index i = 0; i < rows; ++i) square += (sample(i, j) - mean) * (sample(i, j) - mean);
    const double deviation = std::sqrt(square / static_cast<double>(rows - 1));
    // A mean that is not exact leaves a trace of rounding in a constant column.
    if (!(deviation > 1e-14 * std::abs(mean))) {
      fail(ErrorKind::input,
           "{}: column {} of sample a is {} in every row; a constant column cannot be z-scored, "
           "leave it out",
           what, j + 1, sample(0, j));
    }
    moments.mean.push_back(mean);
    moments.deviation.push_back(deviation);
  }
  return moments;
}

Matrix<double> z_scored(MatrixView<const double> sample, const ColumnMoments& moments) {
  Matrix<double> out(sample.rows(), sample.cols());
  for (Index i = 0; i < sample.rows(); ++i) {
    for (Index j = 0; j < sample.cols(); ++j) {
      const auto column = static_cast<std::size_t>(j);
      out(i, j) = (sample(i, j) - moments.mean[column]) / moments.deviation[column];
    }
  }
  return out;
}

}  // namespace hone
