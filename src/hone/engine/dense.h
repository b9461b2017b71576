#pragma once

#include "hone/core/matrix.h"

namespace hone {

// Products of dense matrices in doubles, on all threads, for fits that are made once. They do not
// depend on the number of threads.
Matrix<double> product(MatrixView<const double> a, MatrixView<const double> b);             // a b
Matrix<double> transposed_product(MatrixView<const double> a, MatrixView<const double> b);  // a^T b

}  // namespace hone
