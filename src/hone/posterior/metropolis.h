#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"

namespace hone {

struct MetropolisResult {
  Matrix<double> points;  // (steps, dimensions): a step that was refused repeats the point before
  double acceptance = 0;
};

// One chain of random-walk Metropolis: steps are L z with independent standard normal z, L the
// lower triangle `proposal` (dimensions, dimensions). The density must be finite at `start`, which
// is not among the points. One call of log_density for each step.
MetropolisResult metropolis(const std::function<double(std::span<const double>)>& log_density,
                            std::vector<double> start, MatrixView<const double> proposal,
                            Index steps, Rng rng);

}  // namespace hone
