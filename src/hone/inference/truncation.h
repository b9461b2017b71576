#pragma once

#include <span>
#include <vector>

#include "hone/estimate/options.h"
#include "hone/posterior/amortized_posterior.h"
#include "hone/prior/region.h"

namespace hone {

// What decided on an axis: log r / max r as the networks agree (agreed_heights), at some u.
struct RatioCurve {
  std::vector<double> u, log_ratio;
};

// One truncation: the new region, and what it is expected to have cost.
struct Cut {
  Region region;
  double mass_ratio = 1;           // mass(new) / mass(old)
  std::vector<double> axis_ratio;  // the same per axis
  std::vector<double> lost_mass;   // per axis: estimated posterior mass outside the new intervals
  std::vector<double> edge_low, edge_high;  // density at the ends of the new hull over its peak
  std::vector<RatioCurve> curves = {};      // per axis, to be drawn; none in runs of older versions
};

// Drops, on every axis, the u for which most networks of the 1-d ensemble at the real observation
// are below epsilon of their peak (axis_cut.h). Works on a dense grid of the axis; what is kept is
// padded outwards, and a gap between two pieces is cut only if it is wide and safely below epsilon.
// Where several estimators answer, the ratio networks cut: there are several of them to agree.
// `answer` must hold all 1-d marginals. `options` as they are used (fitted()).
Cut truncate(const AmortizedPosterior& answer, std::span<const double> observation,
             const TruncationOptions& options);

}  // namespace hone
