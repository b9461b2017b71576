#pragma once

#include <span>

#include "hone/core/matrix.h"

namespace hone {

// Small dense matrices; nothing here is made for speed.

// The lower triangle L of A = L L^T; zeros above it. A: (n, n), symmetric; only its lower triangle
// is read. Throws Error{numerical} unless A is positive definite.
Matrix<double> cholesky(MatrixView<const double> a);

// z = L^-1 b; may be the same memory.
void solve_lower(std::span<double> z, MatrixView<const double> l, std::span<const double> b);
// z = L^-T b; may be the same memory.
void solve_lower_transposed(std::span<double> z, MatrixView<const double> l,
                            std::span<const double> b);

// log det L
double log_determinant(MatrixView<const double> l);

}  // namespace hone
