#include "hone/engine/soft_tails.h"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "hone/core/rng.h"
#include "hone/engine/stack.h"

namespace hone {
namespace {

constexpr Index kRows = 2000;

// Scores of one column of draws.
struct Column {
  explicit Column(const std::function<double(Rng&)>& draw, Tails tails = Tails::soften)
      : table(kRows, 1), scores(kRows, 1) {
    Rng rng(5);
    std::vector<Index> rows;
    for (Index i = 0; i < kRows; ++i) {
      table(i, 0) = static_cast<float>(draw(rng));
      rows.push_back(i);
    }
    fitted = fit_standardizer(MatrixRows(table), rows, "x", tails);
    fitted.apply(scores, table);
  }

  double largest_score() const {
    double largest = 0;
    for (Index i = 0; i < kRows; ++i) largest = std::max(largest, std::abs(double(scores(i, 0))));
    return largest;
  }

  Matrix<float> table, scores;
  Standardizer fitted;
};

TEST(SoftTails, LeaveOrdinaryColumnsAsTheyAre) {
  EXPECT_TRUE(Column([](Rng& rng) { return 3 + 2 * rng.normal(); }).fitted.softness.empty());
  EXPECT_TRUE(Column([](Rng& rng) { return 5 * rng.uniform(); }).fitted.softness.empty());
  EXPECT_TRUE(Column([](Rng& rng) {
                return (rng.uniform() < 0.5 ? -1 : 1) + 0.1 * rng.normal();
              }).fitted.softness.empty());
  EXPECT_TRUE(Column([](Rng&) { return 4.0; }).fitted.softness.empty());
}

// The logarithm of a lognormal value is normal: scores must follow it, which straight ones do not.
TEST(SoftTails, TurnALognormalColumnIntoItsLogarithm) {
  const auto draw = [](Rng& rng) { return std::exp(2 * rng.normal() - 1); };
  const Column column(draw), straight(draw, Tails::keep);
  ASSERT_FALSE(column.fitted.softness.empty());
  for (Index i = 0; i < kRows; ++i) {
    const double log_score = (std::log(double(column.table(i, 0))) + 1) / 2;
    EXPECT_NEAR(column.scores(i, 0), log_score, 0.5) << "value " << column.table(i, 0);
  }
  EXPECT_LT(column.largest_score(), 5);
  EXPECT_GT(straight.largest_score(), 10);
}

TEST(SoftTails, TameBothEndsOfACauchyColumn) {
  const Column column([](Rng& rng) { return 10 + std::tan(3.14159 * (rng.uniform() - 0.5)); });
  ASSERT_FALSE(column.fitted.softness.empty());
  EXPECT_NEAR(column.fitted.center[0], 10, 0.2);
  EXPECT_LT(column.largest_score(), 8);
}

TEST(SoftTails, KeepTheOrderAndTheZerosOfCounts) {
  const Column column([](Rng& rng) { return std::floor(std::exp(3 * rng.normal() - 1)); });
  ASSERT_FALSE(column.fitted.softness.empty());
  for (Index i = 1; i < kRows; ++i) {
    const bool less = column.table(i, 0) < column.table(i - 1, 0);
    EXPECT_EQ(column.scores(i, 0) < column.scores(i - 1, 0), less);
    EXPECT_TRUE(std::isfinite(column.scores(i, 0)));
  }
}

TEST(SoftTails, AreWrittenWithTheNetworksAndReadBack) {
  const Column column([](Rng& rng) { return std::exp(2 * rng.normal()); });
  const RatioStack stack({{{0}, 0}}, {}, {}, column.fitted, Standardizer{{0.5F}, {2.0F}});
  const RatioStack again = RatioStack::from_arrays(stack.to_arrays());
  EXPECT_EQ(again.x_scores().center, column.fitted.center);
  EXPECT_EQ(again.x_scores().softness, column.fitted.softness);
  const Matrix<float> features = again.features(column.table);
  for (Index i = 0; i < kRows; ++i) EXPECT_EQ(features(i, 0), column.scores(i, 0));
}

}  // namespace
}  // namespace hone
