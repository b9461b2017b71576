#pragma once

#include <string>

#include "hone/run/run_spec.h"

namespace hone::cli {

// What a run takes on these cores beside its simulations, in seconds: training, checks and report.
// From the arithmetic that they need; right within a factor of two or three.
double seconds_to_learn(const RunSpec& spec, bool has_rounds);

// "40 milliseconds", "12 s", "3.5 hours".
std::string in_words(double seconds);

}  // namespace hone::cli
