#include "hone/simulator/noise_factor.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "hone/core/error.h"
#include "hone/core/parallel.h"

namespace hone {
namespace {

void check_covariance(MatrixView<const double> c) {
  if (c.rows() != c.cols() || c.rows() < 1) {
    fail_place("noise.covariance",
               fmt::format("it is {} x {}; must be square", c.rows(), c.cols()));
  }
  for (Index i = 0; i < c.rows(); ++i) {
    if (!(c(i, i) > 0)) {
      fail_place("noise.covariance",
                 fmt::format("the variance [{0}][{0}] = {1}; must be positive", i, c(i, i)));
    }
    for (Index j = 0; j <= i; ++j) {
      if (!std::isfinite(c(i, j))) {
        fail_place("noise.covariance", fmt::format("[{}][{}] = {}; must be finite", i, j, c(i, j)));
      }
      // Matrices from text files have lost their last digits.
      const double scale = std::sqrt(c(i, i)) * std::sqrt(c(j, j));
      if (std::abs(c(i, j) - c(j, i)) <= 1e-6 * scale) continue;
      fail_place("noise.covariance",
                 fmt::format("[{0}][{1}] = {2}, but [{1}][{0}] = {3}; must be symmetric", i, j,
                             c(i, j), c(j, i)));
    }
  }
}

}  // namespace

// Row by row from the top: row k of U is final once those above are taken off, then it is taken
// off those below. Inner loops run along rows.
Matrix<float> noise_factor(MatrixView<const double> covariance) {
  check_covariance(covariance);
  const Index size = covariance.rows();
  Matrix<double> u(size, size);
  for (Index i = 0; i < size; ++i) {
    for (Index j = i; j < size; ++j) u(i, j) = (covariance(i, j) + covariance(j, i)) / 2;
  }
  constexpr Index kTaskRows = 64;
  for (Index k = 0; k < size; ++k) {
    // What rounding leaves of a variance that is 0.
    if (!(u(k, k) > 1e-13 * covariance(k, k))) {
      fail_place("noise.covariance",
                 fmt::format("not positive definite: value {} is a combination of those before it; "
                             "leave it out, or add a little to the diagonal",
                             k));
    }
    const double* pivot = u.row(k).data();
    const double inverse = 1 / std::sqrt(u(k, k));
    for (Index j = k; j < size; ++j) u(k, j) *= inverse;
    const Index below = size - k - 1;
    parallel_for((below + kTaskRows - 1) / kTaskRows, [&](Index task) {
      const Index begin = k + 1 + task * kTaskRows, end = std::min(begin + kTaskRows, size);
      for (Index i = begin; i < end; ++i) {
        double* row = u.row(i).data();
        const double factor = pivot[i];
        for (Index j = i; j < size; ++j) row[j] -= factor * pivot[j];
      }
    });
  }
  Matrix<float> result(size, size);
  for (Index i = 0; i < size; ++i) {
    for (Index j = i; j < size; ++j) result(i, j) = static_cast<float>(u(i, j));
  }
  return result;
}

// Four rows of U at a time stay in the first cache for all rows of `rows`. Every element adds its
// terms in the order of k, however many rows there are.
void add_product(MatrixView<float> out, MatrixView<const float> rows,
                 MatrixView<const float> upper) {
  constexpr Index kTogether = 4;
  const Index size = upper.rows();
  for (Index k = 0; k < size; k += kTogether) {
    std::array<const float*, kTogether> u{};
    for (Index t = 0; t < kTogether; ++t) {
      u[static_cast<std::size_t>(t)] = upper.row(std::min(k + t, size - 1)).data();
    }
    for (Index i = 0; i < out.rows(); ++i) {
      std::array<float, kTogether> z{};  // 0 beyond the last
      for (Index t = 0; t < kTogether && k + t < size; ++t) {
        z[static_cast<std::size_t>(t)] = rows(i, k + t);
      }
      float* to = out.row(i).data();
      for (Index j = k; j < size; ++j) {
        to[j] = to[j] + z[0] * u[0][j] + z[1] * u[1][j] + z[2] * u[2][j] + z[3] * u[3][j];
      }
    }
  }
}

}  // namespace hone
