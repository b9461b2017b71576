#include "python/core/with_executor.h"

#include "hone/core/parallel.h"
#include "hone/tasks/task.h"

namespace hone::python {

void with_executor(const Run& run, const py::object& simulate, int threads,
                   const py::object& progress,
                   const std::function<void(Executor&, Observer&)>& work) {
  const RunSpec& spec = run.spec();
  const ExecutorOptions options{.max_failed_fraction = spec.options.max_failed_fraction};
  PythonThread python(progress);
  std::unique_ptr<Simulator> task;
  std::unique_ptr<Executor> executor = std::make_unique<NoExecutor>();
  if (!simulate.is_none()) {
    const Index size = simulated_size(spec.noise, std::ssize(spec.observation));
    executor = std::make_unique<PythonExecutor>(python, simulate, size, options);
  } else if (spec.simulator.kind == SimulatorKind::task) {
    task = find_task(spec.simulator.task).simulator();
    executor = make_thread_executor(*task, options);
  }
  python.serve([&] { with_threads(threads, [&] { work(*executor, python); }); });
}

}  // namespace hone::python
