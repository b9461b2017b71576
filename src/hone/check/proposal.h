#pragma once

#include <span>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// A density on the unit circle (the unit interval with its ends joined) in equal cells, and the way
// to the coordinate in which it is uniform. Points of a lattice are placed where a 1-d posterior
// is, so that few of them are lost on pairs of values that both parameters exclude.
class CircleDensity {
 public:
  // Cells around first, first + 1 / n, ... with these masses, which sum to 1. A tenth of the whole
  // is spread evenly, so that no point is out of reach.
  CircleDensity(double first, std::span<const double> masses);

  double density(double t) const;
  double to_uniform(double t) const;
  double from_uniform(double v) const;

 private:
  std::size_t cell(double position) const;
  double begin_ = 0;           // where cell 0 begins
  std::vector<double> below_;  // (cells + 1) mass below each cell
};

}  // namespace hone
