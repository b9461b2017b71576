#pragma once

#include <string>
#include <vector>

#include "hone/core/matrix.h"

// What metrics of two samples have in common. Errors are Error{input} that begin with `what`, the
// metric, and count rows and columns from 1.

namespace hone {

// The same number of columns, at least one; at least `least_rows` rows; all values finite.
void check_comparable(MatrixView<const double> a, MatrixView<const double> b, Index least_rows,
                      const std::string& what);

// Mean and standard deviation (n - 1) of each column; refuses a constant one.
struct ColumnMoments {
  std::vector<double> mean, deviation;
};
ColumnMoments column_moments(MatrixView<const double> sample, const std::string& what);

// (value - mean) / deviation
Matrix<double> z_scored(MatrixView<const double> sample, const ColumnMoments& moments);

}  // namespace hone
