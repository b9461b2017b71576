#pragma once

#include <span>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// Whether numbers that belong to simulations depend on their parameters: rank correlations with
// each parameter and with its distance from the middle of the region. Ranks do not mind units or
// outliers.
class ParameterRanks {
 public:
  // Local coordinates of the parameters, (n, parameters); those of these rows take part.
  ParameterRanks(MatrixView<const float> local, std::span<const Index> rows);

  // The largest of the correlations, in standard errors. Values: one for each row.
  double largest(std::span<const double> values) const;
  Index targets() const { return targets_.rows(); }  // correlations that are looked at

 private:
  Matrix<double> targets_;  // (2 parameters, rows): ranks about their mean, of length 1
};

// The largest of so many independent correlations, in standard errors, is above this with a
// probability of 1 % at most if nothing depends on the parameters (Bonferroni).
double chance_limit(Index correlations);

}  // namespace hone
