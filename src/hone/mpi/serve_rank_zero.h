#pragma once

#include <functional>

#include "hone/mpi/simulator_threads.h"
#include "hone/mpi/transport.h"
#include "hone/simulator/line_log.h"

namespace hone {

// The executors of a run's simulator for one rank, one per thread it has (hone/core/parallel.h);
// none if its simulations are not made by hone.
using OpenExecutors = std::function<ThreadExecutors(const RunSpec& spec, const LogSink& log)>;

// What every rank but 0 does: serves rank 0 until it ends the program. Prints nothing, writes
// nothing; whatever goes wrong is reported to rank 0.
void serve_rank_zero(Transport& transport, const OpenExecutors& open);

// The same until rank 0 says something that is about no run: that message.
Message serve_runs(Transport& transport, const OpenExecutors& open);

// What rank 0 says at the end of the program.
void end_other_ranks(Transport& transport);

}  // namespace hone
