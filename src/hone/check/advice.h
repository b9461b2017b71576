#pragma once

#include "hone/check/checks.h"
#include "hone/run/run_spec.h"

namespace hone {

// Checks know what went wrong, not with which data and settings. This adds to the advice of those
// that ask for more simulations how to get them, and what else helps with data like these: an
// embedding for long data, noise that is declared instead of simulated.
void add_fitting_advice(std::vector<CheckResult>& checks, const RunSpec& spec);

}  // namespace hone
