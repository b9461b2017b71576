#pragma once

#include <memory>

#include "cli/open_executor.h"
#include "hone/check/calibrator.h"
#include "hone/mpi/lanes.h"
#include "hone/mpi/leader.h"

namespace hone::cli {

// Everything that works on a run: here, or on all ranks of an MPI job (cli/ranks.h). Lines of
// external programs go to the run's simulator.log. `threads` are those of every rank; 0: all it
// has. Without a simulator it only trains and checks.
class Workforce {
 public:
  Workforce(const Run& run, int threads, bool with_simulator = true);
  Executor* executor() const { return open_.executor.get(); }  // null: without a simulator
  MarginalTrainer& trainer() const { return trainer_ ? *trainer_ : local_trainer(); }
  Calibrator& calibrator() const { return calibrator_ ? *calibrator_ : local_calibrator(); }

 private:
  std::unique_ptr<Leader> leader_;
  std::unique_ptr<Lanes> lanes_;
  OpenExecutor open_;
  std::unique_ptr<MarginalTrainer> trainer_;
  std::unique_ptr<Calibrator> calibrator_;
};

// The executors of one rank (hone/mpi/crew.h): one per thread, or per external program.
LaneExecutors open_lanes(const RunSpec& spec, const LogSink& log);

}  // namespace hone::cli
