#pragma once

#include <optional>
#include <span>

#include "hone/check/checks.h"
#include "hone/posterior/amortized_posterior.h"

namespace hone {

// Are these data like those that the networks of a run were trained on? The measures of the check
// "misspecification", with simulations of the final region to compare with. Nothing if the run has
// too few of them, or a simulator that brings its own noise: that is not known here.
//   pass     they are
//   caution  the networks can answer, but such data are rare among the simulations
//   fail     far outside: whatever the networks say there is extrapolation
std::optional<CheckResult> compare_with_simulations(const RunDirectory& run,
                                                    const AmortizedPosterior& networks,
                                                    std::span<const double> x);

}  // namespace hone
