#pragma once

#include <functional>
#include <memory>

#include "hone/mpi/rank_resources.h"
#include "hone/session/open_simulator.h"
#include "hone/session/simulator_log.h"

namespace hone {

struct ResourceRequest {
  Transport* transport = nullptr;  // of an MPI job; null: this process alone
  int threads = 0;                 // of every rank; 0: all it has
  bool with_simulator = true;      // false: only trains and checks
  // How simulators are opened: by their description, unless the program has its own.
  std::function<OpenSimulator(const RunSpec&, const LogSink&)> open = open_run_simulator;
  OpenExecutors open_on_rank = open_thread_executors;
  LogSink log = {};  // lines of external programs; empty: the run's simulator.log
};

// Everything that works on a run: the threads of this process, external programs, or all ranks of
// an MPI job. To be made inside with_threads() (hone/core/parallel.h).
class Resources {
 public:
  Resources(const RunDirectory& run, const ResourceRequest& request);

  Executor& executor() const;  // no_executor() where nobody makes simulations
  NetworkTrainer& trainer() const { return ranks_ ? ranks_->trainer() : local_trainer(); }
  Calibrator& calibrator() const { return ranks_ ? ranks_->calibrator() : local_calibrator(); }
  Index log_lines_left_out() const { return log_ ? log_->left_out() : 0; }  // of simulator.log

 private:
  std::shared_ptr<SimulatorLog> log_;  // null: the caller has its own
  std::unique_ptr<RankResources> ranks_;
  OpenSimulator open_;  // if the ranks have none
};

}  // namespace hone
