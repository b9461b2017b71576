#pragma once

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
  std::vector<double> log_ratio;  // per cell: log r over its peak, by the network that gives most
};

// log_ratios (ensemble, cells): the log ratio of every network at the centres of a regular grid of
// the axis' local coordinate, where all cells have the same prior mass. A cell is kept if any
// network has it above epsilon of its own peak: a network that is wrong alone cuts nothing. Throws
// Error{numerical} if a value is not finite.
AxisCut cut_axis(MatrixView<const float> log_ratios, const TruncationOptions& options);

}  // namespace hone
