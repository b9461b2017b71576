#pragma once

#include <string>
#include <vector>

#include "hone/check/checks.h"

namespace hone {

// For every test draw the credibility of its true value: the posterior mass of higher density.
// Uniform on (0, 1) if the posterior is right.
struct MarginalCredibility {
  std::string marginal;
  Index dimensions = 1;
  std::vector<double> credibility;  // (draws)
};

// A shortfall is flagged if it is larger than chance allows for all marginals together, and large
// enough to matter. The limits are those of coverage at 1 and 2 sigma: 0.02 is a posterior about
// 4 % too narrow; below 0.60 or 0.90 it is 17 % too narrow, and twice as many true values lie
// outside the 2-sigma region than it says.
struct CoverageLimits {
  double false_alarms = 0.01;  // of the whole check, if all marginals are right
  double shortfall = 0.02;     // at 1 or 2 sigma, more is a caution
  double excess = 0.05;        // the same for coverage above the nominal one
  double fail68 = 0.60, fail95 = 0.90;
  double tail_caution = 3, tail_fail = 10;  // misses at 3 sigma over the nominal 0.27 %
  Index fewest_draws = 50;                  // with fewer nothing can be said
};

struct CoverageCheck {
  CheckResult result;
  std::vector<CoverageCurve> marginals;
  std::vector<CoverageCurve> means;  // over all 1-d and over all 2-d marginals, if there are two
};
CoverageCheck check_coverage(const std::vector<MarginalCredibility>& marginals,
                             const CoverageLimits& limits = {});

// How much too narrow a posterior must be for the check to notice it in half of all cases, from
// `draws` test draws of each of so many marginals.
double noticeable_width_error(Index draws, Index marginals, const CoverageLimits& limits = {});

}  // namespace hone
