// Learning-rate schedules, early stopping, standard scores.
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "hone/core/rng.h"
#include "hone/engine/optimizer.h"
#include "hone/engine/standardizer.h"

namespace hone {
namespace {

using Verdict = Convergence::Verdict;

TEST(Convergence, DropsTheRateAfterSoManyEpochsWithoutProgress) {
  Convergence c({.kind = ScheduleKind::plateau, .plateau_factor = 0.5, .plateau_patience = 2}, 0.1,
                100, 1000);
  EXPECT_EQ(c.epoch_finished(1.0), Verdict::best_so_far);
  EXPECT_EQ(c.epoch_finished(1.1), Verdict::no_progress);
  EXPECT_DOUBLE_EQ(c.learning_rate(), 0.1);
  c.epoch_finished(1.0);  // equal is no progress
  EXPECT_DOUBLE_EQ(c.learning_rate(), 0.05);
  c.epoch_finished(1.2);
  EXPECT_DOUBLE_EQ(c.learning_rate(), 0.05);
  c.epoch_finished(0.9);  // progress: the count starts again
  c.epoch_finished(1.2);
  EXPECT_DOUBLE_EQ(c.learning_rate(), 0.05);
  c.epoch_finished(1.2);
  EXPECT_DOUBLE_EQ(c.learning_rate(), 0.025);
}

TEST(Convergence, FollowsHalfACosineDownToItsFloor) {
  Convergence c({.kind = ScheduleKind::cosine, .cosine_floor = 0.1}, 2.0, 100, 10);
  EXPECT_DOUBLE_EQ(c.learning_rate(), 2.0);
  for (int epoch = 1; epoch <= 10; ++epoch) {
    c.epoch_finished(1.0 / epoch);
    const double wave = 0.5 * (1 + std::cos(std::numbers::pi * epoch / 10));
    EXPECT_NEAR(c.learning_rate(), 2.0 * (0.1 + 0.9 * wave), 1e-12);
  }
  EXPECT_NEAR(c.learning_rate(), 0.2, 1e-12);
}

TEST(Convergence, LeavesAConstantRateAlone) {
  Convergence c({.kind = ScheduleKind::constant, .plateau_patience = 1}, 0.1, 100, 10);
  for (int epoch = 0; epoch < 10; ++epoch) c.epoch_finished(1.0);
  EXPECT_DOUBLE_EQ(c.learning_rate(), 0.1);
}

TEST(Convergence, StopsAfterPatienceAndRemembersTheBestEpoch) {
  Convergence c({}, 0.1, 3, 1000);
  EXPECT_EQ(c.epoch_finished(2.0), Verdict::best_so_far);
  EXPECT_EQ(c.epoch_finished(1.0), Verdict::best_so_far);
  EXPECT_EQ(c.epoch_finished(1.5), Verdict::no_progress);
  EXPECT_EQ(c.epoch_finished(1.4), Verdict::no_progress);
  EXPECT_EQ(c.epoch_finished(1.3), Verdict::stop);
  EXPECT_EQ(c.best_epoch(), 2);
  EXPECT_EQ(c.best_loss(), 1.0);
  EXPECT_EQ(c.epochs(), 5);
  EXPECT_FALSE(c.diverged());
}

TEST(Convergence, ComparesWithTheBestLossAsRestated) {
  Convergence c({}, 0.1, 3, 1000);
  c.epoch_finished(1.0);
  c.restate_best(2.0);  // a member with a small loss has left
  EXPECT_EQ(c.epoch_finished(1.5), Verdict::best_so_far);
}

TEST(Convergence, StopsAtOnceWhenTheLossIsNotFinite) {
  for (const double loss :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Convergence c({}, 0.1, 3, 1000);
    c.epoch_finished(1.0);
    EXPECT_EQ(c.epoch_finished(loss), Verdict::stop);
    EXPECT_TRUE(c.diverged());
    EXPECT_EQ(c.best_epoch(), 1);
  }
}

TEST(Standardizer, GivesMeanZeroAndVarianceOneOverTheChosenRows) {
  Matrix<float> table(1000, 2);
  std::vector<Index> rows;
  Rng rng(1);
  for (Index i = 0; i < 1000; ++i) {
    table(i, 0) = i % 2 == 0 ? float(1e4 + 3 * rng.normal()) : -1e6F;  // odd rows are not chosen
    table(i, 1) = float(1e-20 * rng.normal());
    if (i % 2 == 0) rows.push_back(i);
  }
  const Standardizer scores = fit_standardizer(MatrixRows(table), rows, "x");
  Matrix<float> out(1000, 2);
  scores.apply(out, table);
  for (Index j = 0; j < 2; ++j) {
    double mean = 0, square = 0;
    for (const Index i : rows) mean += double(out(i, j)) / double(rows.size());
    for (const Index i : rows)
      square += std::pow(double(out(i, j)) - mean, 2) / double(rows.size());
    EXPECT_NEAR(mean, 0, 1e-3);
    EXPECT_NEAR(square, 1, 1e-3);
  }
}

TEST(Standardizer, MapsAConstantColumnToZeroWhateverItHoldsLater) {
  Matrix<float> table(100, 3);
  std::vector<Index> rows;
  for (Index i = 0; i < 100; ++i) {
    rows.push_back(i);
    table(i, 0) = 0.1F;
    table(i, 1) = 0;
    table(i, 2) = 1e30F;
  }
  const Standardizer scores = fit_standardizer(MatrixRows(table), rows, "x");
  for (Index j = 0; j < 3; ++j) table(0, j) = 7;
  Matrix<float> out(100, 3);
  scores.apply(out, table);
  for (Index j = 0; j < 3; ++j) {
    EXPECT_EQ(out(0, j), 0.0F);
    EXPECT_EQ(out(1, j), 0.0F);
  }
}

}  // namespace
}  // namespace hone
