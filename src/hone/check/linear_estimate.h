#pragma once

#include <span>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// Linear estimates of parameters from data columns, by partial least squares: conjugate gradients
// on the normal equations, stopped where a held-out third of the rows is estimated best. That is
// the regularisation, so that thousands of columns may be more than there are rows. Each third is
// held out in turn, and estimates are the mean of the three. Values that are not finite count as
// the mean of their column.
class LinearEstimates {
 public:
  // x (n, columns), theta (n, parameters).
  LinearEstimates(MatrixView<const float> x, MatrixView<const double> theta);

  Matrix<double> operator()(MatrixView<const float> x) const;  // (n, parameters)
  // Of the rows it was made from, each by the fit that has not seen it: as good as those of others.
  const Matrix<double>& learned() const { return learned_; }

 private:
  Matrix<double> scores(MatrixView<const float> x) const;

  std::vector<double> centre_, inverse_;  // of the columns
  std::vector<double> mean_;              // of the parameters
  Matrix<double> weights_;                // (parameters, columns)
  Matrix<double> learned_;                // (rows, parameters)
};

}  // namespace hone
