#pragma once

#include <memory>

#include "hone/mpi/other_ranks.h"
#include "hone/mpi/simulator_threads.h"
#include "hone/simulator/executor.h"

namespace hone {

struct RankExecutorOptions {
  ExecutorOptions executor;
  Index data_size = 1;           // numbers per simulation
  double silence_seconds = 300;  // a rank that has work and says nothing for so long is lost; > 0
};

// Simulations on all ranks of an MPI job, this one's threads included, handed out as ranks become
// free. Results stream to this rank, whose sink gets them; the others write nothing.
//
// A rank that is lost ends the execution with Error{simulator} that names it; what has arrived is
// delivered. A rank that dies ends the whole job, by way of the launcher.
std::unique_ptr<Executor> make_rank_executor(OtherRanks& others, SimulatorThreads& simulators,
                                             RankExecutorOptions options);

}  // namespace hone
