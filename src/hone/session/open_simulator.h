#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "hone/mpi/simulator_threads.h"
#include "hone/run/run_directory.h"
#include "hone/simulator/line_log.h"

namespace hone {

// A simulator that is ready to be asked: its executor, and what that may need. Neither: it makes no
// simulations. Lines that external programs write to standard error go to the log.
struct OpenSimulator {
  std::unique_ptr<Simulator> simulator;
  std::unique_ptr<Executor> executor;
};

// What has to be known to open a simulator, with or without a run around it.
struct SimulatorInputs {
  SimulatorSpec simulator;
  std::vector<std::string> parameters;  // names
  Index data_size = 0;                  // values of a simulation, its own noise included
  ExecutorOptions options;
};
SimulatorInputs simulator_inputs(const RunSpec& spec);

// From its description. Error{input} for a function of another program, which only that can call.
OpenSimulator open_simulator(const SimulatorInputs& inputs, const LogSink& log = {});
OpenSimulator open_run_simulator(const RunSpec& spec, const LogSink& log = {});

// The same for one rank of an MPI job (hone/mpi/serve_rank_zero.h): an executor per thread, or per
// external program. None if hone makes no simulations of it.
ThreadExecutors open_thread_executors(const RunSpec& spec, const LogSink& log);

// A run.json may have been edited, or written when a task was another one: Error{io} names it.
void check_simulator(const RunDirectory& run);

}  // namespace hone
