#pragma once

#include <span>
#include <string>
#include <vector>

#include "hone/check/checks.h"

namespace hone {

// Bands that hold the whole empirical distribution function of n uniform values, at `points` evenly
// spread places, with this probability: pointwise binomial intervals, all of the same level, which
// is chosen so that the probability to stay inside at all places at once is the stated one, exactly
// up to the discreteness of counts (Saeilynoja, Buerkner & Vehtari 2022).
struct EcdfBands {
  std::vector<double> at, low, high;
  double probability = 0;  // to stay inside
};
EcdfBands simultaneous_bands(Index draws, double probability, Index points = 50);

// Are values uniform that should be, curve by curve, judged together?
struct UniformValues {
  std::string marginal;
  std::vector<double> values;  // (draws)
};
struct EcdfLimits {
  double false_alarms = 0.01;  // of the whole check, if all are uniform
  double deviation = 0.02;     // less does not matter, however significant; more is a caution
  double bias = 0.1;  // more fails: a normal posterior shifted by 0.36 sigma. Posteriors that
                      // are only too wide have none
  Index fewest_draws = 50;
};
std::vector<EcdfCurve> ecdf_curves(const std::vector<UniformValues>& values,
                                   const EcdfLimits& limits = {});
// The bands of such a check, for those who judge many sets of curves of one size.
EcdfBands bands_for(Index curves, Index draws, const EcdfLimits& limits = {});
std::vector<EcdfCurve> ecdf_curves(const std::vector<UniformValues>& values, const EcdfBands& bands,
                                   const EcdfLimits& limits = {});

// Simulation-based calibration: the posterior CDF of the true value, for every 1-d marginal.
CheckResult sbc_result(const std::vector<EcdfCurve>& curves, const EcdfLimits& limits = {});
// TARP: the posterior mass nearer to a random point than the true value, for marginals of several
// parameters.
CheckResult tarp_result(const std::vector<EcdfCurve>& curves, const EcdfLimits& limits = {});

}  // namespace hone
