#pragma once

#include <string>
#include <vector>

#include "hone/check/checks.h"
#include "hone/check/rivals.h"
#include "hone/core/rng.h"

namespace hone {

// Do the posteriors use what is in the data? Networks that see the data through a function of them
// that has lost something, s(x), can still answer p(theta | s(x)) exactly. All tests of calibration
// hold then, also the local one, and networks that share the function agree with each other; and
// yet posteriors are too wide, and at the observation centred elsewhere.
//
// If a posterior is right, u, its CDF at the true value, is uniform whatever the data. So
// phi(u) = sqrt(3) (2 u - 1) has no correlation with anything that can be computed from the data,
//
//   h_j(x) = (g_j(x) - q_j(m(x), s(x))) / s(x),
//
// for estimates g_j of the parameter by others (rivals.h), of which everything is taken out that is
// a quadratic function of the posterior's own mean m and deviation s: what is left is news. The
// largest correlation over j is compared with those after permutations of u. This is exact where
// the draws are fresh, however the estimates were made. Draws that validated have had a say in when
// training stopped, and in the form of estimators and how much each of them counts: posteriors fit
// them a little too well, which makes the test a little less powerful, but no more alarming.
//
// Whether it matters is another question. z = (true value - m) / s is regressed on h_j: with this,
// the mean at the observation would move by `shift`, and errors would shrink by `narrower`.
struct SharpnessLimits {
  double false_alarms = 0.01;  // of the whole check, if all posteriors are right
  double narrower_caution = 0.1, narrower_fail = 0.25;
  double shift_caution = 0.3, shift_fail = 0.75;  // standard deviations of the posterior
  Index fewest_draws = 50;
};

struct Sharpness {
  std::string parameter = {};
  RivalKind rival = RivalKind::columns;  // that knows most
  double correlation = 0;                // of its news with the true value
  double probability = 1;                // of one as large by chance, for this parameter alone
  double narrower = 0;                   // by this share the posterior would be, with its help
  double shift = 0;                      // of the mean at the observation, in its deviations
  Status status = Status::pass;
};

// Empty where there are too few draws or no rivals.
std::vector<Sharpness> sharpness(const std::vector<ComparedPosterior>& parameters, const Rng& rng,
                                 const SharpnessLimits& limits = {});
// declared: somebody has said what the data are.
CheckResult sharpness_result(const std::vector<Sharpness>& parameters, bool declared,
                             const SharpnessLimits& limits = {});

}  // namespace hone
