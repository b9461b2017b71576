#include "cli/workforce.h"

#include "cli/ranks.h"

namespace hone::cli {
namespace {

bool makes_simulations(SimulatorKind kind) {
  return kind != SimulatorKind::dataset && kind != SimulatorKind::by_hand;
}

}  // namespace

LaneExecutors open_lanes(const RunSpec& spec, const LogSink& log) {
  if (!makes_simulations(spec.simulator.kind)) return {};
  SimulatorInputs one = simulator_inputs(spec);
  one.simulator.workers = 1;
  one.options = lane_options();
  OpenExecutor first = open_executor(one, log);
  if (first.simulator) return thread_lanes(std::move(first.simulator));
  LaneExecutors lanes;
  lanes.executors.push_back(std::move(first.executor));
  for (int lane = 1; lane < worker_count(spec.simulator); ++lane) {
    const LogSink numbered = [log, lane](int, std::string_view line) { log(lane, line); };
    lanes.executors.push_back(open_executor(one, numbered).executor);
  }
  return lanes;
}

Workforce::Workforce(const Run& run, int threads, bool with_simulator) {
  const LogSink log = file_log(run.directory() / "simulator.log");
  if (ranks() != nullptr) {
    ranks_ = std::make_unique<RankWorkforce>(*ranks(), run, threads, log,
                                             with_simulator ? open_lanes : OpenLanes());
  }
  const bool elsewhere = ranks_ && ranks_->executor() != nullptr;
  if (with_simulator && !elsewhere) open_ = open_executor(run.spec(), log);
}

}  // namespace hone::cli
