#include <memory>

#include <fmt/format.h>

#include "cli/check_text.h"
#include "cli/commands.h"
#include "cli/execute.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "cli/text.h"
#include "cli/workforce.h"
#include "hone/check/check_run.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"

namespace hone::cli {
namespace {

struct CheckArguments {
  std::string directory;
  Index simulations = 0;
  bool correct = false, uncorrect = false, json = false;
  int threads = 0;
};

// To make more simulations, or for its noise.
bool needs_simulator(const Run& run, const CheckArguments& arguments) {
  const RunSpec& spec = run.spec();
  const bool simulates = arguments.simulations > 0;
  const SimulatorKind kind = spec.simulator.kind;
  if (simulates && (kind == SimulatorKind::dataset || kind == SimulatorKind::by_hand)) {
    fail(ErrorKind::input,
         "--simulations {}: the simulations of {} come from {}, hone cannot make more; without the "
         "option those that validated are used",
         arguments.simulations, arguments.directory,
         kind == SimulatorKind::dataset ? "a data set" : "elsewhere");
  }
  return simulates || spec.noise.kind == NoiseKind::simulator;
}

Checks run_checks(const Run& run, const CheckArguments& arguments) {
  Progress progress;
  Checks checks;
  try {
    with_threads(threads_here(arguments.threads), [&] {
      const bool with_simulator = needs_simulator(run, arguments);
      if (with_simulator) check_simulator(run);
      const Workforce workforce(run, arguments.threads, with_simulator);
      const CheckOptions options{.simulations = arguments.simulations};
      const auto work = arguments.correct ? correct_run : check_run;
      checks = work(run, options, workforce.executor(), progress, workforce.calibrator());
    });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted) throw;
    fail(ErrorKind::interrupted, "stopped; finished simulations are kept. Start the command again");
  }
  progress.clear();
  return checks;
}

void check(const CheckArguments& arguments) {
  const Run run = Run::open(arguments.directory);
  if (arguments.uncorrect) run.remove_correction();
  const Checks checks = run_checks(run, arguments);
  if (arguments.json) {
    print(to_json(checks).dump(2) + "\n");
  } else {
    print(fmt::format("{}: {} test draws ({})\n\n", arguments.directory, checks.draws,
                      checks.draws_from == "fresh"
                          ? "simulated for this"
                          : "simulations that validated; no network trained on them"));
    if (const std::string table = coverage_table(checks); !table.empty()) print(table + "\n");
    print(correction_lines(checks));
    if (arguments.correct && checks.correction.empty()) {
      print("nothing is too narrow: no correction is made\n");
    }
    print(check_lines(checks, true));
  }
  if (checks.verdict == Status::fail) {
    fail(ErrorKind::numerical, "{} fails its checks", arguments.directory);
  }
}

}  // namespace

void add_check_command(CLI::App& program) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App* command = program.add_subcommand(
      "check", "Test a finished run: calibration, truncation, data, networks; with a verdict");
  command->add_option("directory", arguments->directory, "Directory of the run")->required();
  command
      ->add_option("--simulations", arguments->simulations,
                   "Test draws to simulate; kept, and never trained on. 0: the simulations that "
                   "validated")
      ->check(CLI::Range(Index{0}, Index{10000000}))
      ->capture_default_str();
  CLI::Option* correct =
      command->add_flag("--correct", arguments->correct,
                        "Widen the posteriors that are too narrow; the originals stay beside them");
  command->add_flag("--uncorrect", arguments->uncorrect, "Take such a correction back")
      ->excludes(correct);
  command->add_flag("--json", arguments->json, "Print JSON for scripts");
  command->add_option("--threads", arguments->threads, kThreadsHelp)
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->callback([arguments] { check(*arguments); });
}

}  // namespace hone::cli
