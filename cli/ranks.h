#pragma once

#include <optional>

#include "hone/mpi/transport.h"

// The MPI job that this process may be a rank of (docs/howto/cluster.md).

namespace hone::cli {

// Joins the job if there is one and the command works on a run. Rank 0 then goes on as if it were
// alone; the others serve it until it leaves, and get their exit code here.
std::optional<int> join_ranks(int count, char** arguments);

// To be called last, with what the program will return.
void leave_ranks(int exit_code);

// The job; null: this process is alone.
Transport* ranks();

// Threads of this process: as wished, or 0 for all it has.
int threads_here(int wish);

}  // namespace hone::cli
