#pragma once

#include "hone/run/run_directory.h"

namespace hone::cli {

// `hone run --dry-run`: one simulation at a draw from the prior, and what a run would do. Writes
// nothing.
void rehearse(const RunSpec& spec, int threads);

}  // namespace hone::cli
