#include "python/core/with_workforce.h"

#include "hone/core/parallel.h"
#include "hone/mpi/rank_workforce.h"
#include "hone/tasks/task.h"

namespace hone::python {
namespace {

using Work = std::function<void(const Workforce&)>;

void work_alone(const Run& run, const Hands& hands, PythonThread& python, const Work& work) {
  const RunSpec& spec = run.spec();
  const ExecutorOptions options{.max_failed_fraction = spec.options.max_failed_fraction};
  std::unique_ptr<Simulator> task;
  std::unique_ptr<Executor> executor = std::make_unique<NoExecutor>();
  if (!hands.simulate.is_none()) {
    const Index size = simulated_size(spec.noise, std::ssize(spec.observation));
    executor = std::make_unique<PythonExecutor>(python, hands.simulate, size, options);
  } else if (spec.simulator.kind == SimulatorKind::task) {
    task = find_task(spec.simulator.task).simulator();
    executor = make_thread_executor(*task, options);
  }
  python.serve([&] {
    with_threads(hands.threads, [&] {
      work({*executor, local_trainer(), local_calibrator(), python});
    });
  });
}

void work_on_ranks(const Run& run, const Hands& hands, PythonThread& python, const Work& work) {
  const PythonSimulator simulator(hands.simulate);
  Ranks& ranks = *hands.ranks;
  const OpenLanes open = [&](const RunSpec& spec, const LogSink&) {
    return python_lanes(python, simulator, spec);
  };
  python.serve([&] {
    with_threads(ranks.threads(hands.threads), [&] {
      const RankWorkforce all(ranks.transport(), run, hands.threads, ranks.log_sink(), open);
      NoExecutor nobody;
      Executor* executor = all.executor();
      work({executor != nullptr ? *executor : nobody, all.trainer(), all.calibrator(), python});
    });
  });
}

}  // namespace

void with_workforce(const Run& run, const Hands& hands, const Work& work) {
  PythonThread python(hands.progress);
  (hands.ranks != nullptr ? work_on_ranks : work_alone)(run, hands, python, work);
}

}  // namespace hone::python
