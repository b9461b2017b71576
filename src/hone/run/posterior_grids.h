#pragma once

#include "hone/posterior/summary.h"
#include "hone/run/run_directory.h"

namespace hone {

// The 1-d and 2-d posteriors at an observation, as a run keeps them: those it was asked for, and
// those of derived quantities.
struct PosteriorGrids {
  std::vector<NamedArray> arrays;            // posterior.h5
  std::vector<ParameterSummary> parameters;  // of the 1-d ones
};
PosteriorGrids make_posterior_grids(const RunDirectory& run, const Correction& correction);
// The same from run.posteriors(), which remember what they are asked.
PosteriorGrids make_posterior_grids(const RunDirectory& run,
                                    const std::vector<TrainedPosterior>& posteriors,
                                    const Correction& correction);

}  // namespace hone
