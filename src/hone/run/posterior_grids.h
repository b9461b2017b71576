#pragma once

#include "hone/posterior/amortized_posterior.h"
#include "hone/posterior/correction.h"
#include "hone/posterior/summary.h"

namespace hone {

// The 1-d and 2-d posteriors at an observation, as a run keeps them.
struct PosteriorGrids {
  std::vector<NamedArray> arrays;            // posterior.h5
  std::vector<ParameterSummary> parameters;  // of the 1-d ones
};
PosteriorGrids make_posterior_grids(const AmortizedPosterior& posteriors,
                                    std::span<const double> observation,
                                    const Correction& correction);

}  // namespace hone
