#pragma once

#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// A = V diag(values) V^T; the columns of V are orthogonal, of length 1.
struct EigenSystem {
  std::vector<double> values;
  Matrix<double> vectors;
};

// Of a small symmetric matrix, by Jacobi's rotations.
EigenSystem eigen_system(Matrix<double> a);

}  // namespace hone
