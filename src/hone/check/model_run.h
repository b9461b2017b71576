#pragma once

#include <span>
#include <string>
#include <vector>

#include "hone/run/finished_run.h"

namespace hone {

// A finished run as a model of the data, and the noise that its simulator brings, if it does
// (spec().noise).
struct ModelRun {
  const RunDirectory& run;
  const NoiseModel* noise = nullptr;
};

// What leads from the evidence under the truncated prior of the final region to that of the model:
//
//   p(x_o | model) = mass x valid x p(x_o | region, data exist) / (1 - lost)
struct RegionFacts {
  Index simulations = 0;  // successful ones in it
  double valid = 1;       // fraction of all there
  double log_mass = 0;    // of the prior inside
  double lost_mass = 0;   // of the posterior outside, as the cuts estimated
  double log_factor = 0;  // log of mass x valid / (1 - lost)
  double variance = 0;    // of that: valid is counted, the part of a region that has a shape is
                          // estimated, and what was lost is known about as well as it is large
};

// Its simulations in the final region, which are draws from the truncated prior.
struct ModelData {
  RunData simulations;
  RegionFacts facts;
  SharedPosterior posterior;
  const Dataset& rows() const { return simulations.rows; }
};

// Error{input} with the run's name: not finished; a method whose simulations do not follow a
// truncated prior; too few simulations in the final region; cuts that lost too much.
ModelData read_model(const ModelRun& model);

// Error{input} for fewer than two runs, one that is there twice, and for other observations or
// descriptions of them.
void check_comparable(std::span<const ModelRun> runs);

}  // namespace hone
