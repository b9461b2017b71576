#pragma once

#include <span>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// Linear estimates of parameters from data columns, by partial least squares: conjugate gradients
// on the normal equations, stopped where a held-out third of the rows is estimated best. That is
// the regularisation, so that thousands of columns may be more than there are rows.
class LinearEstimates {
 public:
  // x (n, columns), theta (n, parameters).
  LinearEstimates(MatrixView<const float> x, MatrixView<const double> theta);

  Matrix<double> operator()(MatrixView<const float> x) const;  // (n, parameters)

 private:
  Matrix<double> scores(MatrixView<const float> x) const;

  std::vector<double> centre_, inverse_;  // of the columns
  std::vector<double> mean_;              // of the parameters
  Matrix<double> weights_;                // (parameters, columns)
};

}  // namespace hone
