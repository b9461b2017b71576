#pragma once

#include <span>

#include "hone/check/checks.h"
#include "hone/core/data_description.h"

namespace hone {

// Is the observation a typical draw from the simulator? Three distances from simulated data, each
// with its rank among the same distances of test draws, so that nothing is assumed about the data:
//   features        Mahalanobis distance of what the networks see of the data, in robust scores
//                   with soft tails; of 64 random projections where there are more columns. It
//                   notices relations between columns that never occur
//   largest column  the largest |robust z-score| of a column
//   all columns     the mean of the columns' |robust z-scores|
// Centres and spreads come from `reference` rows, which are other simulations than the test draws.
struct TypicalityData {
  MatrixView<const float> reference_features, features;  // (m, features), (n, features)
  std::span<const float> observed_features;
  MatrixView<const float> reference, draws;  // (m, columns), (n, columns), raw
  std::span<const double> observation;
  DataDescription description = {};  // names of columns, if they have any
};
struct TypicalityLimits {
  double false_alarms = 0.01;
  double fail = 1.5;  // times the 99 % quantile of simulated distances
  Index fewest_draws = 50;
};
Misspecification measure_typicality(const TypicalityData& data,
                                    const TypicalityLimits& limits = {});
CheckResult typicality_result(const Misspecification& found, const TypicalityLimits& limits = {});

}  // namespace hone
