#pragma once

#include <memory>

#include "cli/open_executor.h"
#include "hone/mpi/rank_workforce.h"

namespace hone::cli {

// Everything that works on a run: here, or on all ranks of an MPI job (cli/ranks.h). Lines of
// external programs go to the run's simulator.log. `threads` are those of every rank; 0: all it
// has. Without a simulator it only trains and checks.
class Workforce {
 public:
  Workforce(const Run& run, int threads, bool with_simulator = true);
  // Null: without a simulator.
  Executor* executor() const {
    return open_.executor ? open_.executor.get() : ranks_ ? ranks_->executor() : nullptr;
  }
  MarginalTrainer& trainer() const { return ranks_ ? ranks_->trainer() : local_trainer(); }
  Calibrator& calibrator() const { return ranks_ ? ranks_->calibrator() : local_calibrator(); }

 private:
  std::unique_ptr<RankWorkforce> ranks_;
  OpenExecutor open_;  // if the ranks have none
};

// The executors of one rank (hone/mpi/crew.h): one per thread, or per external program.
LaneExecutors open_lanes(const RunSpec& spec, const LogSink& log);

}  // namespace hone::cli
