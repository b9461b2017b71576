#pragma once

#include <span>

#include "hone/core/matrix.h"
#include "hone/engine/batches.h"

namespace hone {

// Linear estimates t^ = x W of targets t by ridge regression: W = (X^T X + lambda)^-1 X^T t, with
// lambda for each target the one that predicts best what it has not seen.
//
// With about as many columns as rows, W knows the noise of the rows it was made from: their
// estimates are better than those of any other data will be, and a network that is trained on them
// trusts them too much. So every row also has the estimate that the fit to all other rows gives,
//   t^_i without i = (t^_i - h_i t_i) / (1 - h_i),   h_i = x_i (X^T X + lambda)^-1 x_i^T,
// which is as wrong as those of new data.
struct RidgeFit {
  Matrix<float> weights;   // (columns, targets)
  Matrix<float> left_out;  // (rows of the table, targets); 0 in rows that were not given
};

// The work grows with the cube of the columns.
constexpr Index kMostRidgeColumns = 2048;

// x: standard scores with `columns` columns, of which those marked take part. targets: standard
// scores, a row for each row of the table. Values that are not finite count as 0.
// bases: functions of the columns, (columns, functions) each, as smooth_bases() makes them. W is
// then sought among sums of the functions of one of them too, W = B V with V by ridge regression;
// what predicts best decides, for each target. Without `plain`, only there.
RidgeFit fit_ridge(SegmentReader& x, std::span<const char> columns, MatrixView<const float> targets,
                   std::span<const Index> rows, std::span<const Matrix<float>> bases = {},
                   bool plain = true);

// What is estimated: every parameter and, of a few, every product of two, all as standard scores.
// theta: standard scores. (rows, target_count(parameters))
Matrix<float> regression_targets(MatrixView<const float> theta, std::span<const Index> rows);
Index target_count(Index parameters);

// In place, of a symmetric positive definite matrix.
void invert(Matrix<double>& matrix);

}  // namespace hone
