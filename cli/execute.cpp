#include "cli/execute.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/progress.h"
#include "cli/text.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/tasks/task.h"

namespace hone::cli {
namespace {

// A run.json may have been edited, or written when the task was another one.
const Task& task_of(const Run& run) {
  const RunSpec& spec = run.spec();
  const std::string file = (run.directory() / "run.json").string();
  const auto& tasks = all_tasks();
  const auto task = std::ranges::find(tasks, spec.task, &Task::name);
  if (task == tasks.end()) fail(ErrorKind::io, "{}: there is no task '{}'", file, spec.task);
  if (spec.prior.names() != task->prior.names() ||
      spec.observation.size() != task->observation.size()) {
    fail(ErrorKind::io, "{}: its parameters or its observation do not fit the task {}", file,
         task->name);
  }
  return *task;
}

}  // namespace

void execute(Run& run, int threads) {
  const std::string directory = run.directory().string();
  const Task& task = task_of(run);
  if (run.complete()) {
    print(fmt::format("{} is finished already.\n\n", directory));
    print(parameter_table(run.summary()->parameters));
    return;
  }
  Progress progress;
  Summary summary;
  try {
    with_threads(threads, [&] {
      const auto simulator = task.simulator();
      const auto executor = make_thread_executor(
          *simulator, {.max_failed_fraction = run.spec().options.max_failed_fraction});
      summary = run.execute(*executor, progress);
    });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted) throw;
    fail(ErrorKind::interrupted,
         "stopped; everything finished is saved. Go on with\n  hone resume {}", directory);
  }
  progress.clear();
  const auto store = run.simulations();
  print(fmt::format("\n{}\n", parameter_table(summary.parameters)));
  print(round_table(run));
  print(fmt::format("\n{} simulations, {} failed; {}\n", store->rows(), store->failed_rows(),
                    progress.times()));
  print(warning_lines(summary.warnings));
  print(fmt::format("results: {}\n", directory));
}

}  // namespace hone::cli
