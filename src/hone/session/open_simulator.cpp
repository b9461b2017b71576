#include "hone/session/open_simulator.h"

#include <algorithm>
#include <array>
#include <fstream>

#include <fmt/format.h>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/problem/problem_file.h"
#include "hone/run/ask_tell.h"
#include "hone/simulator/no_executor.h"
#include "hone/simulator/one_shot.h"
#include "hone/simulator/shared_library.h"
#include "hone/simulator/worker_executor.h"
#include "hone/tasks/task.h"

namespace hone {
namespace {

// External programs at a time.
int worker_count(const SimulatorSpec& spec) {
  return spec.workers > 0 ? spec.workers : thread_count();
}

OpenSimulator in_threads(std::unique_ptr<Simulator> made, const ExecutorOptions& options) {
  auto executor = make_thread_executor(*made, options);
  return {std::move(made), std::move(executor)};
}

OpenSimulator open_command(const SimulatorInputs& inputs, const LogSink& log) {
  const SimulatorSpec& s = inputs.simulator;
  return {nullptr, make_worker_executor({.command = without_placeholders(s.arguments),
                                         .directory = s.directory,
                                         .workers = worker_count(s),
                                         .timeout_seconds = s.timeout,
                                         .retries = s.retries,
                                         .log = log},
                                        inputs.data_size, inputs.options)};
}

OpenSimulator open_one_shot(const SimulatorInputs& inputs, const LogSink& log) {
  OneShotOptions one_shot = one_shot_options(inputs.simulator, inputs.parameters);
  one_shot.workers = worker_count(inputs.simulator);
  one_shot.log = log;
  return {nullptr, make_one_shot_executor(std::move(one_shot), inputs.data_size, inputs.options)};
}

OpenSimulator open_library(const SimulatorInputs& inputs, const LogSink&) {
  const std::filesystem::path directory = inputs.simulator.directory;
  return in_threads(load_simulator(directory / inputs.simulator.library,
                                   std::ssize(inputs.parameters), inputs.data_size),
                    inputs.options);
}

// All simulations of a data set are in the store before any is asked for.
OpenSimulator open_dataset(const SimulatorInputs&, const LogSink&) {
  return {nullptr, make_no_executor([](Index missing) {
            return fmt::format("the data set has {} simulations fewer than the budget asks for",
                               missing);
          })};
}

OpenSimulator open_by_hand(const SimulatorInputs&, const LogSink&) {
  return {nullptr, std::make_unique<ToldExecutor>()};
}

OpenSimulator open_task(const SimulatorInputs& inputs, const LogSink&) {
  return in_threads(find_task(inputs.simulator.task).simulator(), inputs.options);
}

OpenSimulator open_function(const SimulatorInputs& inputs, const LogSink&) {
  const std::string& name = inputs.simulator.function;
  fail(ErrorKind::input,
       "the simulator of this run is {}of another program, which only that program can call. "
       "Continue the run there: in Python with hone.open(directory).resume(simulator), in C++ with "
       "execute_run and your simulator, then finish_run",
       name.empty() ? "a function " : "the function " + name + " ");
}

using Open = OpenSimulator (*)(const SimulatorInputs&, const LogSink&);
constexpr std::array<std::pair<SimulatorKind, Open>, 7> kOpen = {{
    {SimulatorKind::command, open_command},
    {SimulatorKind::run, open_one_shot},
    {SimulatorKind::library, open_library},
    {SimulatorKind::dataset, open_dataset},
    {SimulatorKind::task, open_task},
    {SimulatorKind::by_hand, open_by_hand},
    {SimulatorKind::function, open_function},
}};

}  // namespace

SimulatorInputs simulator_inputs(const RunSpec& spec) {
  return {.simulator = spec.simulator,
          .parameters = spec.prior.names(),
          .data_size = simulated_size(spec.noise, std::ssize(spec.observation)),
          .options = {.max_failed_fraction = spec.options.max_failed_fraction,
                      .may_be_missing = spec.data.may_be_missing()}};
}

OpenSimulator open_run_simulator(const RunSpec& spec, const LogSink& log) {
  return open_simulator(simulator_inputs(spec), log);
}

OpenSimulator open_simulator(const SimulatorInputs& inputs, const LogSink& log) {
  const auto row =
      std::ranges::find(kOpen, inputs.simulator.kind, &std::pair<SimulatorKind, Open>::first);
  HONE_ASSERT(row != kOpen.end());
  return row->second(inputs, log);
}

ThreadExecutors open_thread_executors(const RunSpec& spec, const LogSink& log) {
  if (!facts_of(spec.simulator.kind).simulates) return {};
  SimulatorInputs one = simulator_inputs(spec);
  one.simulator.workers = 1;
  one.options = per_thread_options(spec.data.may_be_missing());
  OpenSimulator first = open_simulator(one, log);
  if (first.simulator) return executors_per_thread(std::move(first.simulator), one.options);
  ThreadExecutors opened;
  opened.executors.push_back(std::move(first.executor));
  for (int number = 1; number < worker_count(spec.simulator); ++number) {
    const LogSink numbered = [log, number](int, std::string_view line) { log(number, line); };
    opened.executors.push_back(open_simulator(one, numbered).executor);
  }
  return opened;
}

void check_simulator(const RunDirectory& run) {
  const RunSpec& spec = run.spec();
  if (spec.simulator.kind != SimulatorKind::task) return;
  const std::string file = run.spec_file().string();
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

}  // namespace hone
