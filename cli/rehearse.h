#pragma once

#include <string>

#include "hone/run/run_directory.h"

namespace hone::cli {

// What very many marginals cost, and what to do; "" if they are not many.
std::string many_marginals_warning(const RunSpec& spec);

// `hone run --dry-run`: one simulation at a draw from the prior, and what a run would do. Writes
// nothing.
void rehearse(const RunSpec& spec, int threads);

}  // namespace hone::cli
