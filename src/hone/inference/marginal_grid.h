#pragma once

#include <string>
#include <vector>

#include "hone/core/named_array.h"
#include "hone/inference/marginal_posterior.h"

namespace hone {

struct ThetaInterval {
  double low = 0, high = 0;
};

// A 1-d or 2-d marginal posterior on a regular grid of local coordinates, where all cells have the
// same prior mass. Densities are in units of the parameters.
struct MarginalGrid {
  Marginal marginal;
  Index cells = 0;                         // per axis
  std::vector<std::vector<double>> theta;  // per axis: cell centres
  std::vector<std::vector<double>> edges;  // per axis: cells + 1 cell edges
  std::vector<double> mass;                // per cell, sums to 1; last axis fastest
  std::vector<double> density;             // per cell
  std::vector<double> member_means;        // 1-d: mean of each network's own posterior

  std::vector<double> axis_mass(Index axis) const;  // projected on one axis
};

MarginalGrid make_grid(const MarginalPosterior& posterior, Index cells);

// Of a 1-d grid, or of the projection of a 2-d grid on an axis.
double grid_mean(const MarginalGrid& grid, Index axis = 0);
double grid_deviation(const MarginalGrid& grid, Index axis = 0);
double grid_quantile(const MarginalGrid& grid, double probability, Index axis = 0);

// The smallest part that holds `level` of a 1-d posterior: one interval per mode.
std::vector<ThetaInterval> highest_density_intervals(const MarginalGrid& grid, double level);
// The density above which `level` of the mass lies: the contour of that level.
double density_at_level(const MarginalGrid& grid, double level);

std::vector<NamedArray> to_arrays(const MarginalGrid& grid, const std::string& name);

}  // namespace hone
