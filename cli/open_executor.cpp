#include "cli/open_executor.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/inference/ask_tell.h"
#include "hone/inference/problem_file.h"
#include "hone/simulator/one_shot.h"
#include "hone/simulator/shared_library.h"
#include "hone/simulator/worker_executor.h"
#include "hone/tasks/task.h"

namespace hone::cli {
namespace {

// All simulations of a data set are in the store before any is asked for.
class NothingMore final : public Executor {
 public:
  ExecutionSummary run(const SimulationRequest& request, const SimulationSink&,
                       Observer&) override {
    fail(ErrorKind::input, "the data set has {} simulations fewer than the budget asks for",
         request.rows());
  }
};

std::unique_ptr<Executor> open_workers(const SimulatorInputs& inputs, const LogSink& log) {
  const SimulatorSpec& s = inputs.simulator;
  return make_worker_executor({.command = without_placeholders(s.arguments),
                               .directory = s.directory,
                               .workers = worker_count(s),
                               .timeout_seconds = s.timeout,
                               .retries = s.retries,
                               .log = log},
                              inputs.data_size, inputs.options);
}

std::unique_ptr<Executor> open_one_shot(const SimulatorInputs& inputs, const LogSink& log) {
  OneShotOptions one_shot = one_shot_options(inputs.simulator, inputs.parameters);
  one_shot.workers = worker_count(inputs.simulator);
  one_shot.log = log;
  return make_one_shot_executor(std::move(one_shot), inputs.data_size, inputs.options);
}

}  // namespace

int worker_count(const SimulatorSpec& spec) {
  return spec.workers > 0 ? spec.workers : thread_count();
}

SimulatorInputs simulator_inputs(const RunSpec& spec) {
  return {.simulator = spec.simulator,
          .parameters = spec.prior.names(),
          .data_size = simulated_size(spec.noise, std::ssize(spec.observation)),
          .options = {.max_failed_fraction = spec.options.max_failed_fraction}};
}

OpenExecutor open_executor(const RunSpec& spec, const LogSink& log) {
  return open_executor(simulator_inputs(spec), log);
}

OpenExecutor open_executor(const SimulatorInputs& inputs, const LogSink& log) {
  const SimulatorSpec& simulator = inputs.simulator;
  const auto threads = [&](std::unique_ptr<Simulator> made) {
    auto executor = make_thread_executor(*made, inputs.options);
    return OpenExecutor{std::move(made), std::move(executor)};
  };
  const std::filesystem::path directory = simulator.directory;
  switch (simulator.kind) {
    case SimulatorKind::command: return {nullptr, open_workers(inputs, log)};
    case SimulatorKind::run: return {nullptr, open_one_shot(inputs, log)};
    case SimulatorKind::library:
      return threads(load_simulator(directory / simulator.library, std::ssize(inputs.parameters),
                                    inputs.data_size));
    case SimulatorKind::dataset: return {nullptr, std::make_unique<NothingMore>()};
    case SimulatorKind::by_hand: return {nullptr, std::make_unique<HandExecutor>()};
    case SimulatorKind::task: return threads(find_task(simulator.task).simulator());
    case SimulatorKind::function:
      fail(ErrorKind::input,
           "the simulator of this run is the function {} of another program: go on there (in "
           "Python with hone.open(directory).resume(simulator))",
           simulator.function);
  }
  throw Error(ErrorKind::input, "unknown kind of simulator");
}

void check_simulator(const Run& run) {
  const RunSpec& spec = run.spec();
  if (spec.simulator.kind != SimulatorKind::task) return;
  const std::string file = (run.directory() / "run.json").string();
  const auto& tasks = all_tasks();
  const auto task = std::ranges::find(tasks, spec.simulator.task, &Task::name);
  if (task == tasks.end()) {
    fail(ErrorKind::io, "{}: there is no task '{}'", file, spec.simulator.task);
  }
  if (spec.prior.names() != task->prior.names() ||
      spec.observation.size() != task->observation.size()) {
    fail(ErrorKind::io, "{}: its parameters or its observation do not fit the task {}", file,
         task->name);
  }
}

LogSink file_log(const std::filesystem::path& file) {
  // Opened by the first line: most runs have nothing to say.
  auto stream = std::make_shared<std::ofstream>();
  return [stream, file](int worker, std::string_view line) {
    if (!stream->is_open()) stream->open(file, std::ios::app);
    *stream << fmt::format("worker {}: {}\n", worker, line) << std::flush;
  };
}

}  // namespace hone::cli
