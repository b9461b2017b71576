#include "hone/run/posterior_grids.h"

namespace hone {
namespace {

// Cells per axis of the posteriors on disk: fine enough to draw and to read quantiles from.
constexpr Index kCells1d = 1024, kCells2d = 128;

void add_grids(PosteriorGrids& result, const AmortizedPosterior& posteriors,
               std::span<const double> observation, const Correction& correction) {
  const auto names = posteriors.prior().prior().names();
  for (const Marginal& marginal : posteriors.marginals()) {
    if (marginal.size() > 2) continue;  // sampled, not gridded
    const MarginalPosterior posterior(posteriors, marginal, observation,
                                      correction.power(marginal));
    const MarginalGrid grid = make_grid(posterior, marginal.size() == 1 ? kCells1d : kCells2d);
    for (NamedArray& array : to_arrays(grid, marginal_name(marginal, names))) {
      result.arrays.push_back(std::move(array));
    }
    if (marginal.size() == 1) {
      result.parameters.push_back(
          summarize_parameter(grid, names[static_cast<std::size_t>(marginal[0])]));
    }
  }
}

}  // namespace

PosteriorGrids make_posterior_grids(const RunDirectory& run, const Correction& correction) {
  return make_posterior_grids(run, run.posteriors(), correction);
}

PosteriorGrids make_posterior_grids(const RunDirectory& run,
                                    const std::vector<TrainedPosterior>& posteriors,
                                    const Correction& correction) {
  PosteriorGrids result;
  // The main posterior, and those of derived quantities.
  for (std::size_t i = 0; i < posteriors.size(); ++i) {
    const AmortizedPosterior& one = *posteriors[i].posterior;
    const bool derived = one.prior().dimensions() > run.spec().prior.dimensions();
    if (i == 0 || derived) add_grids(result, one, run.spec().observation, correction);
  }
  return result;
}

}  // namespace hone
