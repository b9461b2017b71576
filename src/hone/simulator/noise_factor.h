#pragma once

#include "hone/core/matrix.h"

// Inside simulator/ only: what correlated noise takes of linear algebra. Sums have a fixed order,
// so that a row's bits depend on nothing but the row.

namespace hone {

// The upper triangle U with U^T U = covariance, the rest zeros, computed in double. Error{input}
// names what keeps a matrix from being a covariance: not square, not finite, not symmetric, not
// positive definite.
Matrix<float> noise_factor(MatrixView<const double> covariance);

// out += rows U      out, rows: (n, size)  U: (size, size), upper triangle
void add_product(MatrixView<float> out, MatrixView<const float> rows,
                 MatrixView<const float> upper);

}  // namespace hone
