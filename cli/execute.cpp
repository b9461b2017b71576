#include "cli/execute.h"

#include <fmt/format.h>

#include "cli/check_text.h"
#include "cli/make_report.h"
#include "cli/progress.h"
#include "cli/progress_file.h"
#include "cli/ranks.h"
#include "cli/text.h"
#include "cli/workforce.h"
#include "hone/check/check_run.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/inference/ask_tell.h"
#include "hone/report/report.h"

namespace hone::cli {
void execute(Run& run, int threads) {
  const std::string directory = run.directory().string();
  check_simulator(run);
  if (run.complete() && read_checks(run.directory())) {
    print(fmt::format("{} is finished already.\n\n", directory));
    print(parameter_table(run.summary()->parameters));
    print(check_lines(*read_checks(run.directory()), false));
    if (!std::filesystem::exists(report_file(run))) print(try_report(run));
    return;
  }
  Progress progress;
  Summary summary;
  Checks checks;
  try {
    with_threads(threads_here(threads), [&] {
      const Workforce workforce(run, threads);
      ProgressFile file(run.directory(), progress);
      summary = run.complete() ? run.summary().value()
                               : run.execute(*workforce.executor(), file, workforce.trainer());
      checks = check_run(run, {}, workforce.executor(), file, workforce.calibrator());
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
  print(check_lines(checks, false));
  print(try_report(run));
  print(fmt::format("results: {}\n", directory));
}

}  // namespace hone::cli
