#pragma once

#include <optional>
#include <span>

#include "hone/estimate/model_odds.h"
#include "hone/problem/noise_density.h"
#include "hone/run/run_directory.h"

namespace hone {

// Evidence without any network, where noise was declared: the mean over the simulations of a region
//
//   p(x | region, data exist) = mean over i of p(x | noiseless part of simulation i).
//
// It has no error but that of the mean. The store keeps noiseless parts; `model` outlives it all.
class NoiseEvidence {
 public:
  NoiseEvidence(const SimulationStore& store, const Dataset& model, NoiseDensity density);

  struct Mean {
    double log = 0;
    double error = 0;      // standard error of that
    double effective = 0;  // simulations that count: (sum of p)^2 / sum of p^2
  };
  // Over the training rows alone, or over all: a row made of one of the simulations must not be
  // compared with that one.
  Mean operator()(std::span<const float> x, bool all) const;

 private:
  Matrix<float> noiseless_;  // (simulations, size)
  std::vector<Index> training_, all_;
  NoiseDensity density_;
};

// Of a run; nullopt where the density of its noise is not known.
std::optional<NoiseEvidence> noise_evidence(const RunDirectory& run, const Dataset& model);

inline constexpr const char* kNoiseWay = "noise";

// The same as a way to tell models apart, all of which have such noise.
ModelOdds noise_odds(std::span<const NoiseEvidence> models, const HeldOutModels& held_out,
                     std::span<const double> observation);

}  // namespace hone
