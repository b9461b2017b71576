#include "hone/core/cholesky.h"

#include <cmath>

#include "hone/core/error.h"

namespace hone {

Matrix<double> cholesky(MatrixView<const double> a) {
  HONE_ASSERT(a.rows() == a.cols());
  Matrix<double> l(a.rows(), a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) {
      double rest = a(i, j);
      for (Index k = 0; k < j; ++k) rest -= l(i, k) * l(j, k);
      if (i != j) {
        l(i, j) = rest / l(j, j);
      } else if (rest > 0) {
        l(i, i) = std::sqrt(rest);
      } else {
        fail(ErrorKind::numerical, "matrix is not positive definite: pivot {} is {}", i, rest);
      }
    }
  }
  return l;
}

void solve_lower(std::span<double> z, MatrixView<const double> l, std::span<const double> b) {
  HONE_ASSERT(std::ssize(z) == l.rows() && z.size() == b.size());
  for (Index i = 0; i < l.rows(); ++i) {
    double rest = b[static_cast<std::size_t>(i)];
    for (Index k = 0; k < i; ++k) rest -= l(i, k) * z[static_cast<std::size_t>(k)];
    z[static_cast<std::size_t>(i)] = rest / l(i, i);
  }
}

void solve_lower_transposed(std::span<double> z, MatrixView<const double> l,
                            std::span<const double> b) {
  HONE_ASSERT(std::ssize(z) == l.rows() && z.size() == b.size());
  for (Index i = l.rows(); i-- > 0;) {
    double rest = b[static_cast<std::size_t>(i)];
    for (Index k = i + 1; k < l.rows(); ++k) rest -= l(k, i) * z[static_cast<std::size_t>(k)];
    z[static_cast<std::size_t>(i)] = rest / l(i, i);
  }
}

double log_determinant(MatrixView<const double> l) {
  double sum = 0;
  for (Index i = 0; i < l.rows(); ++i) sum += std::log(std::abs(l(i, i)));
  return sum;
}

}  // namespace hone
