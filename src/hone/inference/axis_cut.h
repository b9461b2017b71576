#pragma once

#include <span>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/inference/options.h"

namespace hone {

// Cells [begin, end) of an axis' grid.
struct CellRange {
  Index begin = 0, end = 0;
  bool operator==(const CellRange&) const = default;
};

// Fewer cells than this do not show the shape of a peak; an interval is never cut below.
constexpr Index kResolvedCells = 8;

// What to keep of one axis.
struct AxisCut {
  std::vector<CellRange> kept;         // sorted, disjoint, at least one
  double lost_mass = 0;                // estimated posterior mass outside of them
  double edge_low = 0, edge_high = 0;  // posterior at the ends of their hull over its peak
  std::vector<double> log_ratio;       // per cell: log r over its peak, by the network that decided
};

// Networks that are outvoted may lose no more than this of the posterior averaged over all: a cut
// that would needs more of them to agree.
constexpr double kOutvotedMass = 1e-3;

// log_ratios (ensemble, cells): the log ratio of every network at the centres of a regular grid of
// the axis' local coordinate, where all cells have the same prior mass; weights (ensemble): their
// part in the averaged posterior.
//
// A cell is dropped if most networks have it below epsilon of their own peak: both of two, 5 of 8.
// One that is wrong alone cuts nothing, and one that learned little does not keep everything. Where
// networks disagree about more than tails, all of them have to agree. Throws Error{numerical} if a
// value is not finite.
AxisCut cut_axis(MatrixView<const float> log_ratios, std::span<const double> weights,
                 const TruncationOptions& options);

}  // namespace hone
