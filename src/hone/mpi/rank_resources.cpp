#include "hone/mpi/rank_resources.h"

#include <algorithm>
#include <mutex>

#include "hone/mpi/rank_calibrator.h"
#include "hone/mpi/rank_executor.h"
#include "hone/mpi/rank_trainer.h"

namespace hone {
namespace {

// A rank that has simulations to do says something every second; one that does not, for as long as
// a simulation may take (but not for a moment of a busy machine), hangs.
constexpr double kShortestSilence = 5, kLongestSilence = 300;

// Lines come from several threads.
LogSink one_at_a_time(LogSink log) {
  return [log = std::move(log), mutex = std::make_shared<std::mutex>()](int worker,
                                                                        std::string_view line) {
    const std::lock_guard lock(*mutex);
    log(worker, line);
  };
}

}  // namespace

RankResources::RankResources(Transport& transport, const RunDirectory& run, int threads,
                             const LogSink& log, const OpenExecutors& open)
    : log_(one_at_a_time(log)),
      others_(transport,
              {.directory = std::filesystem::absolute(run.path()).string(),
               .spec = run.spec(),
               .threads = threads,
               .simulates = static_cast<bool>(open)},
              log_),
      trainer_(make_rank_trainer(others_)),
      calibrator_(make_rank_calibrator(others_)) {
  if (!open) return;
  const RunSpec& spec = run.spec();
  ThreadExecutors executors = open(spec, log_);
  if (executors.executors.empty()) return;
  simulators_ = std::make_unique<SimulatorThreads>(std::move(executors));
  const double timeout = spec.simulator.timeout;
  executor_ = make_rank_executor(
      others_, *simulators_,
      {.executor = {.max_failed_fraction = spec.options.max_failed_fraction},
       .data_size = simulated_size(spec.noise, std::ssize(spec.observation)),
       .silence_seconds = timeout > 0 ? std::max(timeout, kShortestSilence) : kLongestSilence});
}

}  // namespace hone
