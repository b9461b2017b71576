#pragma once

#include <span>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/estimate/options.h"

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
  std::vector<double> log_ratio;       // per cell: agreed_heights()
  std::vector<double> values = {};     // of whole numbers: what is kept instead of cells
};

// Networks that are outvoted may lose no more than this of the posterior averaged over all, on an
// axis in a round.
constexpr double kOutvotedMass = 1e-4;

// log_ratios (ensemble, cells): the log ratio of every network at the centres of a regular grid of
// the axis' local coordinate, where all cells have the same prior mass; weights (ensemble): their
// part in the averaged posterior.
//
// Per cell: log r over the network's peak that decides. It is below log epsilon, and the cell
// dropped, where most networks are: both of two, 5 of 8. One that is wrong alone cuts nothing, and
// one that learned little does not keep everything. Where this would lose more than kOutvotedMass
// networks disagree about more than tails, and more of them have to agree, in the end all.
std::vector<double> agreed_heights(MatrixView<const float> log_ratios,
                                   std::span<const double> weights, double epsilon);

// What agreed_heights() keep, padded, with gaps cut only if they are wide and deep. Throws
// Error{numerical} if a value is not finite.
AxisCut cut_axis(MatrixView<const float> log_ratios, std::span<const double> weights,
                 const TruncationOptions& options);

}  // namespace hone
