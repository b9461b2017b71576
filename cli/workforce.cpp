#include "cli/workforce.h"

#include <algorithm>
#include <mutex>

#include "cli/ranks.h"
#include "hone/core/parallel.h"
#include "hone/mpi/rank_calibrator.h"
#include "hone/mpi/rank_executor.h"
#include "hone/mpi/rank_trainer.h"

namespace hone::cli {
namespace {

// A rank that has simulations to do says something every second; one that does not, for as long as
// a simulation may take (but not for a moment of a busy machine), hangs.
constexpr double kShortestSilence = 5, kLongestSilence = 300;

bool makes_simulations(SimulatorKind kind) {
  return kind != SimulatorKind::dataset && kind != SimulatorKind::by_hand;
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

LaneExecutors open_lanes(const RunSpec& spec, const LogSink& log) {
  if (!makes_simulations(spec.simulator.kind)) return {};
  SimulatorInputs one = simulator_inputs(spec);
  one.simulator.workers = 1;
  one.options = lane_options();
  OpenExecutor first = open_executor(one, log);
  LaneExecutors lanes{std::move(first.simulator), {}};
  lanes.executors.push_back(std::move(first.executor));
  const bool external = lanes.simulator == nullptr;
  const int count = external                        ? worker_count(spec.simulator)
                    : lanes.simulator->concurrent() ? thread_count()
                                                    : 1;
  for (int lane = 1; lane < count; ++lane) {
    const LogSink numbered = [log, lane](int, std::string_view line) { log(lane, line); };
    lanes.executors.push_back(external ? open_executor(one, numbered).executor
                                       : make_thread_executor(*lanes.simulator, one.options));
  }
  return lanes;
}

Workforce::Workforce(const Run& run, int threads, bool with_simulator) {
  const RunSpec& spec = run.spec();
  const LogSink log = one_at_a_time(file_log(run.directory() / "simulator.log"));
  if (ranks() != nullptr) {
    const std::string directory = std::filesystem::absolute(run.directory()).string();
    leader_ = std::make_unique<Leader>(*ranks(),
                                       JobMessage{directory, spec, threads, with_simulator}, log);
    trainer_ = make_rank_trainer(*leader_);
    calibrator_ = make_rank_calibrator(*leader_);
  }
  if (!with_simulator) return;
  if (!leader_ || !makes_simulations(spec.simulator.kind)) {
    open_ = open_executor(spec, log);
    return;
  }
  lanes_ = std::make_unique<Lanes>(open_lanes(spec, log));
  const SimulatorInputs inputs = simulator_inputs(spec);
  const double timeout = spec.simulator.timeout;
  open_.executor = make_rank_executor(
      *leader_, *lanes_,
      {.executor = inputs.options,
       .data_size = inputs.data_size,
       .silence_seconds = timeout > 0 ? std::max(timeout, kShortestSilence) : kLongestSilence});
}

}  // namespace hone::cli
