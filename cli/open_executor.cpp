#include "cli/open_executor.h"

#include <algorithm>
#include <fstream>
#include <mutex>

#include <fmt/format.h>

#include "cli/ranks.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/inference/ask_tell.h"
#include "hone/inference/problem_file.h"
#include "hone/mpi/rank_executor.h"
#include "hone/mpi/rank_trainer.h"
#include "hone/simulator/one_shot.h"
#include "hone/simulator/shared_library.h"
#include "hone/simulator/worker_executor.h"
#include "hone/tasks/task.h"

namespace hone::cli {
namespace {

// A rank that has simulations to do says something every second; one that does not, for as long as
// a simulation may take (but not for a moment of a busy machine), hangs.
constexpr double kShortestSilence = 5, kLongestSilence = 300;

// All simulations of a data set are in the store before any is asked for.
class NothingMore final : public Executor {
 public:
  ExecutionSummary run(const SimulationRequest& request, const SimulationSink&,
                       Observer&) override {
    fail(ErrorKind::input, "the data set has {} simulations fewer than the budget asks for",
         request.rows());
  }
};

Index values_per_simulation(const RunSpec& spec) {
  return simulated_size(spec.noise, std::ssize(spec.observation));
}

int worker_count(const SimulatorSpec& spec) {
  return spec.workers > 0 ? spec.workers : thread_count();
}

bool makes_simulations(SimulatorKind kind) {
  return kind != SimulatorKind::dataset && kind != SimulatorKind::by_hand;
}

std::unique_ptr<Executor> open_workers(const RunSpec& spec, const ExecutorOptions& options,
                                       const LogSink& log) {
  const SimulatorSpec& s = spec.simulator;
  return make_worker_executor({.command = without_placeholders(s.arguments),
                               .directory = s.directory,
                               .workers = worker_count(s),
                               .timeout_seconds = s.timeout,
                               .retries = s.retries,
                               .log = log},
                              values_per_simulation(spec), options);
}

std::unique_ptr<Executor> open_one_shot(const RunSpec& spec, const ExecutorOptions& options,
                                        const LogSink& log) {
  OneShotOptions one_shot = one_shot_options(spec.simulator, spec.prior.names());
  one_shot.workers = worker_count(spec.simulator);
  one_shot.log = log;
  return make_one_shot_executor(std::move(one_shot), values_per_simulation(spec), options);
}

}  // namespace

namespace {

OpenExecutor open_executor(const RunSpec& spec, const ExecutorOptions& options,
                           const LogSink& log) {
  const auto threads = [&](std::unique_ptr<Simulator> simulator) {
    auto executor = make_thread_executor(*simulator, options);
    return OpenExecutor{std::move(simulator), std::move(executor)};
  };
  const std::filesystem::path directory = spec.simulator.directory;
  switch (spec.simulator.kind) {
    case SimulatorKind::command: return {nullptr, open_workers(spec, options, log)};
    case SimulatorKind::run: return {nullptr, open_one_shot(spec, options, log)};
    case SimulatorKind::library:
      return threads(load_simulator(directory / spec.simulator.library, spec.prior.dimensions(),
                                    values_per_simulation(spec)));
    case SimulatorKind::dataset: return {nullptr, std::make_unique<NothingMore>()};
    case SimulatorKind::by_hand: return {nullptr, std::make_unique<HandExecutor>()};
    case SimulatorKind::task: return threads(find_task(spec.simulator.task).simulator());
    case SimulatorKind::function:
      fail(ErrorKind::input,
           "the simulator of this run is the function {} of another program: go on there (in "
           "Python with hone.open(directory).resume(simulator))",
           spec.simulator.function);
  }
  throw Error(ErrorKind::input, "unknown kind of simulator");
}

// Lines come from several threads.
LogSink one_at_a_time(LogSink log) {
  return [log = std::move(log), mutex = std::make_shared<std::mutex>()](int worker,
                                                                        std::string_view line) {
    const std::lock_guard lock(*mutex);
    log(worker, line);
  };
}

}  // namespace

OpenExecutor open_executor(const RunSpec& spec, const LogSink& log) {
  return open_executor(spec, {.max_failed_fraction = spec.options.max_failed_fraction}, log);
}

LaneExecutors open_lanes(const RunSpec& spec, const LogSink& log) {
  if (!makes_simulations(spec.simulator.kind)) return {};
  RunSpec one = spec;
  one.simulator.workers = 1;
  OpenExecutor first = open_executor(one, lane_options(), log);
  LaneExecutors lanes{std::move(first.simulator), {}};
  lanes.executors.push_back(std::move(first.executor));
  const bool external = lanes.simulator == nullptr;
  const int count = external                        ? worker_count(spec.simulator)
                    : lanes.simulator->concurrent() ? thread_count()
                                                    : 1;
  for (int lane = 1; lane < count; ++lane) {
    const LogSink numbered = [log, lane](int, std::string_view line) { log(lane, line); };
    lanes.executors.push_back(external ? open_executor(one, lane_options(), numbered).executor
                                       : make_thread_executor(*lanes.simulator, lane_options()));
  }
  return lanes;
}

Workforce::Workforce(const Run& run, int threads) {
  const RunSpec& spec = run.spec();
  const LogSink log = one_at_a_time(file_log(run.directory() / "simulator.log"));
  if (ranks() == nullptr) {
    open_ = open_executor(spec, log);
    return;
  }
  leader_ = std::make_unique<Leader>(
      *ranks(), JobMessage{std::filesystem::absolute(run.directory()).string(), spec, threads},
      log);
  trainer_ = make_rank_trainer(*leader_);
  if (!makes_simulations(spec.simulator.kind)) {
    open_ = open_executor(spec, log);
    return;
  }
  lanes_ = std::make_unique<Lanes>(open_lanes(spec, log));
  const double timeout = spec.simulator.timeout;
  open_.executor = make_rank_executor(
      *leader_, *lanes_,
      {.executor = {.max_failed_fraction = spec.options.max_failed_fraction},
       .data_size = values_per_simulation(spec),
       .silence_seconds = timeout > 0 ? std::max(timeout, kShortestSilence) : kLongestSilence});
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
