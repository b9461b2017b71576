#pragma once

#include <vector>

#include "hone/posterior/marginal_grid.h"
#include "hone/report/axes.h"
#include "hone/report/contours.h"
#include "hone/report/label.h"

// Parts of a corner plot that need no page.

namespace hone {

// One parameter's axis, the same in all panels.
struct CornerScale {
  Axis axis;
  std::vector<double> ticks;  // not too close to the ends, where neighbours would collide
  double step = 1;            // between ticks
  double widest = 0;          // label of a tick, in points
  bool slanted = false;       // labels below the plot would touch each other

  double fraction(double value) const { return (value - axis.low) / (axis.high - axis.low); }
  bool shows(double value) const { return value > axis.low && value < axis.high; }
};

// Two to four ticks, as many as have room for their labels.
CornerScale corner_scale(Canvas& canvas, const Bounds& range, double panel, double tick_size);

// The curve of a 1-d density, one piece for each interval of the region, standing on zero at both
// ends: (theta, density).
std::vector<Loop> density_outline(const MarginalGrid& grid);

// Median with the distances to the 16 % and 84 % quantiles, rounded to two digits of the smaller
// one: 0.587 +0.012 -0.018 as scripts. Empty if the posterior has several modes, for which it would
// mean little.
Label value_with_errors(const MarginalGrid& grid);

}  // namespace hone
