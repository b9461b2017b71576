#pragma once

#include "hone/inference/run.h"

namespace hone::cli {

// Runs what is left of a run on so many threads, with progress, and prints the table, the warnings,
// the times and where everything is. Ctrl-C ends with the resume command.
void execute(Run& run, int threads);

// The --threads option's text.
inline constexpr const char* kThreadsHelp = "Threads; 0: one per core. The result is the same";

}  // namespace hone::cli
