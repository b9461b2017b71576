#include "hone/core/cholesky.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "hone/core/error.h"

namespace hone {
namespace {

// L = ((2, 0), (-1, 3))
Matrix<double> example() {
  Matrix<double> a(2, 2);
  a(0, 0) = 4;
  a(1, 0) = -2;
  a(1, 1) = 10;
  return a;
}

TEST(Cholesky, FindsTheKnownFactor) {
  const Matrix<double> l = cholesky(example());
  EXPECT_DOUBLE_EQ(l(0, 0), 2);
  EXPECT_DOUBLE_EQ(l(0, 1), 0);
  EXPECT_DOUBLE_EQ(l(1, 0), -1);
  EXPECT_DOUBLE_EQ(l(1, 1), 3);
  EXPECT_DOUBLE_EQ(log_determinant(l), std::log(6.0));
}

TEST(Cholesky, SolvesBothTriangles) {
  const Matrix<double> l = cholesky(example());
  std::vector<double> z = {2, 5};
  solve_lower(z, l, z);
  EXPECT_DOUBLE_EQ(z[0], 1);
  EXPECT_DOUBLE_EQ(z[1], 2);
  solve_lower_transposed(z, l, z);
  EXPECT_DOUBLE_EQ(z[1], 2.0 / 3);
  EXPECT_DOUBLE_EQ(z[0], (1 + 2.0 / 3) / 2);
}

TEST(Cholesky, RefusesAMatrixThatIsNotPositiveDefinite) {
  Matrix<double> a = example();
  a(1, 1) = 1;
  EXPECT_THROW(cholesky(a), Error);
}

}  // namespace
}  // namespace hone
