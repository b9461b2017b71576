#include "hone/core/eigen_system.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "hone/core/rng.h"

namespace hone {
namespace {

TEST(EigenSystem, PutsASymmetricMatrixTogetherAgain) {
  constexpr Index kSize = 40;
  Rng rng(3);
  Matrix<double> a(kSize, kSize), copy(kSize, kSize);
  for (Index i = 0; i < kSize; ++i) {
    for (Index j = 0; j <= i; ++j) {
      a(i, j) = a(j, i) = copy(i, j) = copy(j, i) = rng.normal() * (j < 5 ? 100 : 1);
    }
  }
  const EigenSystem system = eigen_system(std::move(copy));
  for (Index i = 0; i < kSize; ++i) {
    for (Index j = 0; j < kSize; ++j) {
      double sum = 0, product = 0;
      for (Index k = 0; k < kSize; ++k) {
        sum += system.vectors(i, k) * system.values[std::size_t(k)] * system.vectors(j, k);
        product += system.vectors(k, i) * system.vectors(k, j);
      }
      EXPECT_NEAR(sum, a(i, j), 1e-9) << i << " " << j;
      EXPECT_NEAR(product, i == j ? 1 : 0, 1e-12) << i << " " << j;
    }
  }
}

TEST(EigenSystem, KnowsThatOfARotation) {
  Matrix<double> a(2, 2);
  a(0, 0) = a(1, 1) = 3;
  a(0, 1) = a(1, 0) = 1;
  EigenSystem system = eigen_system(std::move(a));
  std::ranges::sort(system.values);
  EXPECT_NEAR(system.values[0], 2, 1e-12);
  EXPECT_NEAR(system.values[1], 4, 1e-12);
}

}  // namespace
}  // namespace hone
