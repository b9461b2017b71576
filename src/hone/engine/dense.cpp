#include "hone/engine/dense.h"

#include <algorithm>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/engine/gemm.h"

namespace hone {
namespace {

// 64 x 256 doubles of a and as many of the result are 256 kB, which fit into an L2.
constexpr Index kRows = 64, kInner = 256, kCols = 256;

Matrix<double> blocked_product(MatrixView<const double> a, MatrixView<const double> b,
                               bool transpose_a) {
  const Index rows = transpose_a ? a.cols() : a.rows(), inner = b.rows();
  HONE_ASSERT((transpose_a ? a.rows() : a.cols()) == inner);
  Matrix<double> result(rows, b.cols());
  parallel_for((rows + kRows - 1) / kRows, [&](Index block) {
    const Index row = block * kRows;
    for (Index col = 0; col < b.cols(); col += kCols) {
      for (Index k = 0; k < inner; k += kInner) {
        const Gemm<double> multiply({.rows = std::min(kRows, rows - row),
                                     .cols = std::min(kCols, b.cols() - col),
                                     .inner = std::min(kInner, inner - k),
                                     .lda = a.stride(),
                                     .ldb = b.stride(),
                                     .ldc = result.cols(),
                                     .transpose_a = transpose_a,
                                     .accumulate = true});
        multiply(&result(row, col), transpose_a ? &a(k, row) : &a(row, k), &b(k, col));
      }
    }
  });
  return result;
}

}  // namespace

Matrix<double> product(MatrixView<const double> a, MatrixView<const double> b) {
  return blocked_product(a, b, false);
}

Matrix<double> transposed_product(MatrixView<const double> a, MatrixView<const double> b) {
  return blocked_product(a, b, true);
}

}  // namespace hone
