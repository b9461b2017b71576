#include "cli/execute.h"

#include <fmt/format.h>

#include "cli/progress.h"
#include "cli/text.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/tasks/task.h"

namespace hone::cli {

void execute(Run& run, int threads) {
  const std::string directory = run.directory().string();
  if (run.finished()) {
    print(fmt::format("{} is finished already.\n\n", directory));
    print(parameter_table(run.summary()->parameters));
    return;
  }
  Progress progress;
  Summary summary;
  try {
    with_threads(threads, [&] {
      const auto simulator = find_task(run.spec().task).simulator();
      const auto executor = make_thread_executor(
          *simulator, {.max_failed_fraction = run.spec().options.max_failed_fraction});
      summary = run.execute(*executor, progress);
    });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted) throw;
    fail(ErrorKind::interrupted,
         "stopped; everything finished is saved. Go on with\n  hone resume {}", directory);
  }
  const auto store = run.simulations();
  print(fmt::format("\n{}\n", parameter_table(summary.parameters)));
  print(round_table(run));
  print(fmt::format("\n{} simulations, {} failed; {}\n", store->rows(), store->failed_rows(),
                    progress.times()));
  print(warning_lines(summary.warnings));
  print(fmt::format("results: {}\n", directory));
}

}  // namespace hone::cli
