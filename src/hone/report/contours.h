#pragma once

#include <array>
#include <vector>

#include "hone/posterior/marginal_grid.h"
#include "hone/report/canvas.h"

namespace hone {

using Loop = std::vector<Point>;  // closed: the last point is joined to the first

// Loops around the part of a 2-d posterior with a density of at least `threshold`, in units of its
// parameters (x: first axis). Points lie on lines between cell centres, where the logarithm of the
// density is taken as linear, which is exact for a Gaussian up to second order; along the edges
// of the region, and of gaps in it, loops follow the edge. Holes are loops of their own: fill with
// the odd rule.
std::vector<Loop> contour_loops(const MarginalGrid& grid, double threshold);

// The parabola through three points, or the line through the first two where it would bend upwards:
// how a logarithm of a density goes on beyond them.
double extrapolated(const std::array<double, 3>& x, const std::array<double, 3>& v, double at);

// Leaves out points that no one would miss: the loop stays within `tolerance` of all of them.
Loop simplify(const Loop& loop, double tolerance);

// Signed by direction; loops with a hole in them cancel.
double loop_area(const Loop& loop);

}  // namespace hone
