#include "cli/execute.h"

#include <cstdio>

#include <fmt/format.h>

#include "cli/check_text.h"
#include "cli/progress.h"
#include "cli/progress_file.h"
#include "cli/text.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/run/ask_tell.h"
#include "hone/session/session.h"

namespace hone::cli {
namespace {

void print_finished(const RunDirectory& run) {
  print(fmt::format("{} is finished already.\n\n", run.path().string()));
  print(parameter_table(run.summary()->parameters));
  print(check_lines(*read_checks(run), false));
}

void print_result(const RunDirectory& run, const SessionResult& result, const std::string& times) {
  const auto store = run.store();
  print(fmt::format("\n{}\n", parameter_table(result.summary.parameters)));
  print(round_table(run));
  print(
      fmt::format("\n{} simulations, {} failed; {}\n", store->rows(), store->failed_rows(), times));
  if (result.log_lines_left_out > 0) {
    print(
        fmt::format("the simulator wrote more to stderr than {} may hold: {} lines were left out\n",
                    run.simulator_log().string(), result.log_lines_left_out));
  }
  print(warning_lines(result.summary.warnings));
  print(check_lines(result.checks, false));
}

void print_report(const RunDirectory& run, const SessionResult& result) {
  if (result.report_error.empty()) {
    return print(fmt::format("report: {}\n", result.report.string()));
  }
  print_error(
      fmt::format("warning: the run is finished, but its report could not be made: {}\n"
                  "         try again with `hone report {}`\n",
                  result.report_error, run.path().string()));
}

}  // namespace

void add_derived(RunDirectory& run, const std::vector<DerivedQuantity>& derived, const MpiJob& job,
                 int threads) {
  Progress progress;
  SessionResult result;
  try {
    with_threads(job.threads(threads), [&] {
      const bool noisy = run.spec().noise.kind == NoiseKind::simulator;
      const Resources resources(
          run, {.transport = job.transport(), .threads = threads, .with_simulator = noisy});
      result = hone::add_derived(run, derived, resources, progress);
    });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted) throw;
    fail(ErrorKind::interrupted, "stopped. Start the same command again");
  }
  progress.clear();
  print(fmt::format("\n{}\n", parameter_table(result.summary.parameters)));
  print(check_lines(result.checks, false));
  print_report(run, result);
}

void execute(RunDirectory& run, const MpiJob& job, int threads, bool exact) {
  const std::string directory = run.path().string();
  check_simulator(run);
  const bool finished = run.complete() && read_checks(run);
  const bool reported = std::filesystem::exists(run.report_page());
  if (finished) print_finished(run);
  if (finished && reported) return remove_leftovers(run);
  Progress progress;
  SessionResult result;
  try {
    with_threads(job.threads(threads), [&] {
      const Resources resources(run, {.transport = job.transport(),
                                      .threads = threads,
                                      .with_simulator = needs_simulator(run)});
      ProgressFile file(run.progress_file(), progress);
      result = finish_run(run, resources, file, {.exact = exact});
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
  if (!finished) print_result(run, result, progress.times());
  print_report(run, result);
  if (!finished) print(fmt::format("results: {}\n", directory));
}

}  // namespace hone::cli
