#pragma once

#include <span>
#include <vector>

#include "hone/check/checks.h"
#include "hone/run/run_directory.h"

// Was anything cut away that should have stayed?

namespace hone {

// Posterior density at the ends of the final region, from the run's summary.
std::vector<EdgeCheck> check_edges(const std::vector<ParameterSummary>& parameters,
                                   const Prior& prior, const Region& region);
CheckResult edges_result(const std::vector<EdgeCheck>& edges);

// The cuts that led to the final region, axis by axis. Each has three witnesses:
//   lost_mass   what the networks that decided say is lost
//   cut_truths  test draws of the region before the cut, never seen in training: how often would
//               the rule, given their data, have cut their true value?
//   near        the probe: simulations of the region before the cut, other parameters inside the
//               new one, whose data are typical of the final region and give the posterior of the
//               observation there. If many of them come from what was cut away, a mode was.
std::vector<CutCheck> check_cuts(const RunDirectory& run, const AmortizedPosterior& final,
                                 const NoiseModel* simulator_noise, const Rng& rng,
                                 Observer& observer);
CheckResult lost_mass_result(const std::vector<CutCheck>& cuts);
CheckResult cut_truths_result(const std::vector<CutCheck>& cuts);
CheckResult probe_result(const std::vector<CutCheck>& cuts);

// Does a simulation look like the observation on an axis? Both posteriors as masses on one grid: at
// most 0.4 of the mass may lie elsewhere. That allows a normal posterior to be shifted by a
// standard deviation, or to be wider by a factor of 2.4; of several modes each must be where it
// was.
bool looks_alike(std::span<const double> posterior, std::span<const double> observed);

}  // namespace hone
