// Columns of x that say nothing about theta are switched off, and the networks are better for it.
#include <cmath>

#include <gtest/gtest.h>

#include "hone/engine/trainer.h"

namespace hone {
namespace {

constexpr Index kRows = 1500, kValidation = 500, kColumns = 80;

// theta ~ N(0, 1); column 3 of x is theta + 0.5 noise, all others are noise.
TrainingResult trained(double shrinkage) {
  Rng rng(7);
  Matrix<float> x(kRows, kColumns), theta(kRows, 1);
  std::vector<Index> training, validation;
  for (Index i = 0; i < kRows; ++i) {
    (i < kRows - kValidation ? training : validation).push_back(i);
    for (float& value : x.row(i)) value = static_cast<float>(rng.normal());
    theta(i, 0) = static_cast<float>(rng.normal());
    x(i, 3) = theta(i, 0) + 0.5F * x(i, 3);
  }
  TrainingOptions options;
  options.optimizer = {.kind = OptimizerKind::adamw, .learning_rate = 5e-3, .weight_decay = 1e-2};
  options.schedule.kind = ScheduleKind::cosine;
  options.batch_size = 64;
  options.max_epochs = 30;
  options.column_shrinkage = shrinkage;
  return train({MatrixRows(x), theta, training, validation}, {{{0}, 0}},
               {.hidden = 32, .depth = 1, .activation = Activation::silu, .norm = Norm::none}, {},
               options, Rng(8));
}

double weight_of_column(const RatioStack& stack, Index column) {
  const NetworkLayout& layout = stack.network(0).layout();
  const auto row =
      stack.parameters(0).subspan(static_cast<std::size_t>(layout.weight_x + column * layout.width),
                                  static_cast<std::size_t>(layout.width));
  double square = 0;
  for (const float value : row) square += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(square);
}

double mean_weight_of_noise(const RatioStack& stack) {
  double sum = 0;
  for (Index column = 0; column < kColumns; ++column) {
    if (column != 3) sum += weight_of_column(stack, column) / (kColumns - 1);
  }
  return sum;
}

TEST(ColumnShrinkage, SwitchesOffNoiseAndKeepsTheSignal) {
  const TrainingResult with = trained(1), without = trained(0);
  EXPECT_LT(mean_weight_of_noise(with.stack), 0.1 * weight_of_column(with.stack, 3));
  EXPECT_GT(mean_weight_of_noise(without.stack), 0.1 * weight_of_column(without.stack, 3));
  // Losses of the same 500 rows and negatives. The exact ratio has 0.97 in the mean, none 1.39.
  EXPECT_LT(with.histories[0].best_loss, without.histories[0].best_loss - 0.02);
}

TEST(ColumnShrinkage, LeavesNothingWhenItIsTooStrong) {
  const TrainingResult result = trained(1000);
  EXPECT_EQ(weight_of_column(result.stack, 3), 0);
  EXPECT_GT(result.histories[0].best_loss, 1.3);
}

}  // namespace
}  // namespace hone
