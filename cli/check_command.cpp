#include <memory>

#include <fmt/format.h>

#include "cli/check_text.h"
#include "cli/commands.h"
#include "cli/execute.h"
#include "cli/open_run.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "hone/check/check_run.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/run/finished_run.h"
#include "hone/session/mpi_job.h"
#include "hone/session/resources.h"

namespace hone::cli {
namespace {

struct CheckArguments {
  std::string directory;
  Index simulations = 0;
  bool correct = false, uncorrect = false, json = false;
  int threads = 0;
};

// To make more simulations, or for its noise.
bool needs_simulator(const RunDirectory& run, const CheckArguments& arguments) {
  const RunSpec& spec = run.spec();
  const bool simulates = arguments.simulations > 0;
  const SimulatorFacts& facts = facts_of(spec.simulator.kind);
  if (simulates && !facts.simulates) {
    fail(ErrorKind::input,
         "--simulations {}: the simulations of {} come from {}, and hone cannot make more of them; "
         "without this option the held-out simulations are used",
         arguments.simulations, arguments.directory, facts.in_words);
  }
  return simulates || spec.noise.kind == NoiseKind::simulator;
}

Checks run_checks(const RunDirectory& run, const MpiJob& job, const CheckArguments& arguments) {
  Progress progress;
  Checks checks;
  try {
    with_threads(job.threads(arguments.threads), [&] {
      const bool with_simulator = needs_simulator(run, arguments);
      if (with_simulator) check_simulator(run);
      const Resources resources(run, {.transport = job.transport(),
                                      .threads = arguments.threads,
                                      .with_simulator = with_simulator});
      const CheckOptions options{.simulations = arguments.simulations};
      const auto work = arguments.correct ? correct_run : check_run;
      checks = work(run, options, &resources.executor(), progress, resources.calibrator());
    });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted) throw;
    fail(ErrorKind::interrupted,
         "stopped; finished simulations are kept. Start the same command again to continue");
  }
  progress.clear();
  return checks;
}

void check(const CheckArguments& arguments, const MpiJob& job) {
  const RunDirectory run = open_run(arguments.directory);
  if (arguments.uncorrect) remove_correction(run);
  const Checks checks = run_checks(run, job, arguments);
  if (arguments.json) {
    print(to_json(checks).dump(2) + "\n");
  } else {
    print(fmt::format("{}: {} test draws ({})\n\n", arguments.directory, checks.draws,
                      checks.draws_from == "fresh"
                          ? "simulated for this"
                          : "held-out simulations; no network was trained on them"));
    if (const std::string table = coverage_table(checks); !table.empty()) print(table + "\n");
    print(correction_lines(checks));
    if (arguments.correct && checks.correction.empty()) {
      print("no posterior is too narrow: no correction was made\n");
    }
    print(check_lines(checks, true));
  }
  if (checks.verdict == Status::fail) {
    fail(ErrorKind::numerical, "{} fails its checks", arguments.directory);
  }
}

}  // namespace

void add_check_command(CLI::App& program, MpiJob& job) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App* command = program.add_subcommand(
      "check", "Test a finished run (calibration, truncation, data, networks) and give a verdict");
  command->add_option("directory", arguments->directory, "Directory of the run")->required();
  command
      ->add_option("--simulations", arguments->simulations,
                   "Number of new simulations to test with; they are kept, and never used for "
                   "training. 0: test with the held-out simulations of the run")
      ->check(CLI::Range(Index{0}, Index{10000000}))
      ->capture_default_str();
  CLI::Option* correct =
      command->add_flag("--correct", arguments->correct,
                        "Widen the posteriors that are too narrow; the original ones are kept");
  command->add_flag("--uncorrect", arguments->uncorrect, "Remove such a correction")
      ->excludes(correct);
  command->add_flag("--json", arguments->json, "Print JSON for scripts");
  command->add_option("--threads", arguments->threads, kThreadsHelp)
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->callback([arguments, &job] { check(*arguments, job); });
}

}  // namespace hone::cli
