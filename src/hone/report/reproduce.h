#pragma once

#include <string>

#include "hone/report/run_corner.h"
#include "hone/run/run_directory.h"

namespace hone {

// The commands that make the same run again, with what it needs in words.
std::string reproduce_text(const RunDirectory& run);

// The parameters behind the observation, if it is that of a built-in problem.
TruthValues known_truth(const RunSpec& spec);

}  // namespace hone
