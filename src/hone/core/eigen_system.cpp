#include "hone/core/eigen_system.h"

#include <cmath>

#include "hone/core/error.h"

namespace hone {
namespace {

// Off the diagonal, beside it.
constexpr double kNothing = 1e-26;
constexpr int kMostSweeps = 30;

// a and b: rows of the same length, turned into each other.
void rotate(std::span<double> a, std::span<double> b, double cosine, double sine) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double first = a[k], second = b[k];
    a[k] = cosine * first - sine * second;
    b[k] = sine * first + cosine * second;
  }
}

// Makes a(i, j) zero. Rows of `turned` are eigenvectors in the making.
void make_zero(Matrix<double>& a, Matrix<double>& turned, Index i, Index j) {
  if (a(i, j) == 0) return;
  const double ratio = (a(j, j) - a(i, i)) / (2 * a(i, j));
  const double tangent = std::copysign(1 / (std::abs(ratio) + std::hypot(ratio, 1.0)), ratio);
  const double cosine = 1 / std::hypot(tangent, 1.0), sine = tangent * cosine;
  for (Index k = 0; k < a.rows(); ++k) {
    const double first = a(k, i), second = a(k, j);
    a(k, i) = cosine * first - sine * second;
    a(k, j) = sine * first + cosine * second;
  }
  rotate(a.row(i), a.row(j), cosine, sine);
  rotate(turned.row(i), turned.row(j), cosine, sine);
}

bool is_diagonal(const Matrix<double>& a) {
  double beside = 0, on = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) (i == j ? on : beside) += a(i, j) * a(i, j);
  }
  return beside <= kNothing * on;
}

}  // namespace

EigenSystem eigen_system(Matrix<double> a) {
  HONE_ASSERT(a.rows() == a.cols());
  const Index size = a.rows();
  Matrix<double> turned(size, size);
  for (Index i = 0; i < size; ++i) turned(i, i) = 1;
  for (int sweep = 0; sweep < kMostSweeps && !is_diagonal(a); ++sweep) {
    for (Index i = 0; i < size; ++i) {
      for (Index j = i + 1; j < size; ++j) make_zero(a, turned, i, j);
    }
  }
  EigenSystem result{{}, Matrix<double>(size, size)};
  for (Index i = 0; i < size; ++i) {
    result.values.push_back(a(i, i));
    for (Index j = 0; j < size; ++j) result.vectors(j, i) = turned(i, j);
  }
  return result;
}

}  // namespace hone
