#pragma once

#include <filesystem>
#include <memory>

#include "hone/inference/run.h"
#include "hone/mpi/lanes.h"
#include "hone/mpi/leader.h"
#include "hone/simulator/line_log.h"

namespace hone::cli {

// The executor of a run's simulator, and the simulator it may need. Lines that external programs
// write to standard error go to `log`.
struct OpenExecutor {
  std::unique_ptr<Simulator> simulator;
  std::unique_ptr<Executor> executor;
};
OpenExecutor open_executor(const RunSpec& spec, const LogSink& log);

// Everything that works on a run: here, or on all ranks of an MPI job (cli/ranks.h). Lines of
// external programs go to the run's simulator.log. `threads` are those of every rank; 0: all it
// has.
class Workforce {
 public:
  Workforce(const Run& run, int threads);
  Executor& executor() const { return *open_.executor; }
  MarginalTrainer& trainer() const { return trainer_ ? *trainer_ : local_trainer(); }

 private:
  std::unique_ptr<Leader> leader_;
  std::unique_ptr<Lanes> lanes_;
  OpenExecutor open_;
  std::unique_ptr<MarginalTrainer> trainer_;
};

// The executors of one rank (hone/mpi/crew.h): one per thread, or per external program.
LaneExecutors open_lanes(const RunSpec& spec, const LogSink& log);

// A run.json may have been edited, or written when a task was another one: Error{io} names it.
void check_simulator(const Run& run);

// Appends lines to a file, with the number of the worker in front.
LogSink file_log(const std::filesystem::path& file);

}  // namespace hone::cli
