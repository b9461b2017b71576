#include "cli/execute.h"

#include <fmt/format.h>

#include "cli/make_report.h"
#include "cli/open_executor.h"
#include "cli/progress.h"
#include "cli/progress_file.h"
#include "cli/text.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/inference/ask_tell.h"

namespace hone::cli {
void execute(Run& run, int threads) {
  const std::string directory = run.directory().string();
  check_simulator(run);
  if (run.complete()) {
    print(fmt::format("{} is finished already.\n\n", directory));
    print(parameter_table(run.summary()->parameters));
    return;
  }
  Progress progress;
  Summary summary;
  try {
    with_threads(threads, [&] {
      const OpenExecutor open =
          open_executor(run.spec(), file_log(run.directory() / "simulator.log"));
      ProgressFile file(run.directory(), progress);
      summary = run.execute(*open.executor, file);
    });
  } catch (const WaitingForSimulations& waiting) {
    progress.clear();
    print(
        fmt::format("{} waits for {} simulations made elsewhere; get their parameters with\n"
                    "  hone ask {}\n",
                    directory, waiting.count(), directory));
    return;
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
  print(try_report(run));
  print(fmt::format("results: {}\n", directory));
}

}  // namespace hone::cli
