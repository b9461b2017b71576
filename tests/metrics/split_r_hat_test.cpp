#include "hone/metrics/split_r_hat.h"

#include <cmath>

#include <gtest/gtest.h>

#include "hone/core/rng.h"

namespace hone {
namespace {

Matrix<double> chains(Index steps, Index count, double drift, double offset) {
  Matrix<double> result(steps, count);
  Rng rng(3);
  for (Index i = 0; i < steps; ++i) {
    for (Index k = 0; k < count; ++k) {
      result(i, k) = rng.normal() + drift * static_cast<double>(i) / static_cast<double>(steps) +
                     offset * static_cast<double>(k % 2);
    }
  }
  return result;
}

// Of n independent draws per half, R-hat - 1 is of the order of 1 / n.
TEST(SplitRHat, IsOneForChainsThatAgree) {
  EXPECT_NEAR(split_r_hat(chains(2000, 4, 0, 0)), 1, 0.005);
}

TEST(SplitRHat, SeesChainsThatDifferAndOneThatDrifts) {
  EXPECT_GT(split_r_hat(chains(2000, 4, 0, 1)), 1.1);
  EXPECT_GT(split_r_hat(chains(2000, 1, 3, 0)), 1.1);
}

// Two chains at 0, 2, 0, 2 and 10, 12, 10, 12: four halves of variance 2 with means 1, 1, 11, 11;
// their variance is 100 / 3, so R-hat^2 = 1/2 + (100/3) / 2.
TEST(SplitRHat, IsTheFormula) {
  Matrix<double> two(4, 2);
  for (Index i = 0; i < 4; ++i) {
    two(i, 0) = i % 2 == 0 ? 0 : 2;
    two(i, 1) = 10 + two(i, 0);
  }
  EXPECT_NEAR(split_r_hat(two), std::sqrt(0.5 + 100.0 / 6), 1e-12);
  Matrix<double> still(4, 2);
  EXPECT_EQ(split_r_hat(still), 1);
  for (Index i = 0; i < 4; ++i) still(i, 1) = 1;
  EXPECT_TRUE(std::isinf(split_r_hat(still)));
}

}  // namespace
}  // namespace hone
