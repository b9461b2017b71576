#pragma once

#include <filesystem>
#include <memory>

#include "hone/inference/run.h"
#include "hone/simulator/line_log.h"

namespace hone::cli {

// The executor of a run's simulator, and the simulator it may need. Lines that external programs
// write to standard error go to `log`.
struct OpenExecutor {
  std::unique_ptr<Simulator> simulator;
  std::unique_ptr<Executor> executor;
};
OpenExecutor open_executor(const RunSpec& spec, const LogSink& log);

// The same for a simulator without a run around it.
struct SimulatorInputs {
  SimulatorSpec simulator;
  std::vector<std::string> parameters;  // names
  Index data_size = 0;                  // values of a simulation, its own noise included
  ExecutorOptions options;
};
OpenExecutor open_executor(const SimulatorInputs& inputs, const LogSink& log);
SimulatorInputs simulator_inputs(const RunSpec& spec);

// External programs at a time.
int worker_count(const SimulatorSpec& spec);

// A run.json may have been edited, or written when a task was another one: Error{io} names it.
void check_simulator(const Run& run);

// Appends lines to a file, with the number of the worker in front.
LogSink file_log(const std::filesystem::path& file);

}  // namespace hone::cli
