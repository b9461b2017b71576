#pragma once

#include "hone/run/run_directory.h"
#include "hone/session/mpi_job.h"

namespace hone::cli {

// Runs what is left of a run on so many threads, with progress, and prints the table, the warnings,
// the times and where everything is. Ctrl-C ends with the resume command.
void execute(RunDirectory& run, const MpiJob& job, int threads, bool exact = false);

// Derived quantities for a finished run, trained on the simulations it has; then the same.
void add_derived(RunDirectory& run, const std::vector<DerivedQuantity>& derived, const MpiJob& job,
                 int threads);

inline constexpr const char* kDerivedHelp =
    "Quantity to infer besides the parameters, as a formula of them: 'S8 = sigma8 * sqrt(omega_m / "
    "0.3)'. Repeat for more";

// The --threads option's text.
inline constexpr const char* kThreadsHelp =
    "Number of threads; 0: one per core. The result does not depend on it";

}  // namespace hone::cli
