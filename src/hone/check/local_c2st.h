#pragma once

#include <string>
#include <vector>

#include "hone/check/checks.h"

namespace hone {

// Calibration where it matters: at the observation.
//
// A classifier between posterior draws and true values, given the data, is asked about the real
// data (local C2ST, Linhart, Gramfort & Rodrigues 2023). It works on u, the posterior CDF of the
// parameter: posterior draws are uniform in it whatever the data, and true values are too if the
// posterior is right. So it only has to learn the density of true values,
//   p(u | data) = 1 + sum_b phi_b(u) g_b(data),   g_b = E[phi_b(u) | data],
// with Legendre polynomials phi_b. g_b at the observation is a locally linear least-squares fit to
// the test draws, those with posteriors like the real one most. Under the null hypothesis phi_b(u)
// have mean 0, variance 1 and no correlation, whatever the data, so the fit's error is known
// without retraining: no permutations.
struct LocalDraws {
  std::string marginal;
  std::vector<double> cdf;              // (draws) posterior CDF of the true value
  std::vector<double> mean, deviation;  // (draws) of the posterior: where draws are near
  double observed_mean = 0, observed_deviation = 1;  // at the observation
};
struct LocalLimits {
  double false_alarms = 0.01;  // of the whole check, if all marginals are right
  double caution = 0.53;       // accuracy: less does not matter, however significant
  double fail = 0.60;
  double fewest_draws = 50;  // near the observation
};
std::vector<LocalC2st> local_c2st(const std::vector<LocalDraws>& draws,
                                  const LocalLimits& limits = {});
CheckResult local_c2st_result(const std::vector<LocalC2st>& marginals,
                              const LocalLimits& limits = {});

}  // namespace hone
