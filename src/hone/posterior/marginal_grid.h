#pragma once

#include <string>
#include <vector>

#include "hone/core/named_array.h"
#include "hone/posterior/marginal_posterior.h"

namespace hone {

struct ThetaInterval {
  double low = 0, high = 0;
};

// One axis of a grid. The cells cover the region's intervals, each with cells of equal prior mass,
// so that none spans a gap. Ends of the prior may be infinite. A discrete parameter has a cell for
// each value, 0.8 wide, so that there are gaps between them; density is probability there.
struct GridAxis {
  std::vector<double> theta;      // cell centres: half of the cell's prior mass on each side
  std::vector<double> low, high;  // cell edges; high[i] == low[i + 1] but for a gap between them
  std::vector<double> local;      // the centres in local coordinates
  std::vector<double> width;      // the cells in local coordinates; sum to 1
  std::vector<std::string> names = {};  // of the values of a discrete parameter

  std::size_t cells() const { return theta.size(); }
  bool discrete() const { return !names.empty(); }
};

GridAxis make_grid_axis(const TruncatedPrior& prior, int d, Index cells);

// A 1-d or 2-d marginal posterior on the product of its axes. Densities are in units of the
// parameters.
struct MarginalGrid {
  Marginal marginal;
  std::vector<GridAxis> axes;
  std::vector<double> mass;     // per cell, sums to 1; last axis fastest
  std::vector<double> density;  // per cell, at its centre
  // 1-d: mean of each network's own posterior, and its weight in the average.
  std::vector<double> member_means, member_weights;

  std::vector<double> axis_mass(Index axis) const;  // projected on one axis
};

// About `cells` per axis.
MarginalGrid make_grid(const MarginalPosterior& posterior, Index cells);

// Of a 1-d grid, or of the projection of a 2-d grid on an axis.
double grid_mean(const MarginalGrid& grid, Index axis = 0);
double grid_deviation(const MarginalGrid& grid, Index axis = 0);
double grid_quantile(const MarginalGrid& grid, double probability, Index axis = 0);

// The smallest part that holds `level` of a 1-d posterior: one interval per mode, never over a gap.
std::vector<ThetaInterval> highest_density_intervals(const MarginalGrid& grid, double level);
// The density above which `level` of the mass lies: the contour of that level.
double density_at_level(const MarginalGrid& grid, double level);

// For files. What is read back has no local, width, names and member_means.
std::vector<NamedArray> to_arrays(const MarginalGrid& grid, const std::string& name);
MarginalGrid grid_from_arrays(std::span<const NamedArray> arrays, const std::string& name,
                              const Marginal& marginal);

}  // namespace hone
