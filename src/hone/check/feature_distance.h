#pragma once

#include <span>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// The value below which a share q of them lies. Reorders them; there must be one at least.
double quantile(std::vector<double>& values, double q);

// A column of simulated data in robust terms.
struct ColumnScale {
  double median = 0, low = 0, high = 0;
  double spread_below = 0, spread_above = 0;  // of one sigma on either side: data may be skewed
  bool known = true;                          // some row has a value

  // Robust z-score; +-100 for another value of a constant; 0 where a value is missing (NaN).
  double score(double value) const;
};
std::vector<ColumnScale> column_scales(MatrixView<const float> rows);

// How far rows lie from a cloud of reference rows: the Mahalanobis distance of their robust scores
// with softened tails, so that no heavy-tailed column rules it. Where there are more than 64
// columns, of 64 fixed random projections.
class FeatureDistance {
 public:
  explicit FeatureDistance(MatrixView<const float> reference);
  std::vector<double> operator()(MatrixView<const float> rows) const;

 private:
  Matrix<double> projected(MatrixView<const float> rows) const;

  std::vector<ColumnScale> scales_;
  Matrix<float> directions_;  // (64, columns), or none
  std::vector<double> mean_;
  Matrix<double> factor_;  // of the covariance
};

}  // namespace hone
