#include <memory>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/execute.h"
#include "cli/open_run.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "hone/check/predict_run.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/session/mpi_job.h"
#include "hone/session/resources.h"

namespace hone::cli {
namespace {

struct PredictArguments {
  std::string directory;
  PredictOptions options;
  bool json = false;
  int threads = 0;
};

std::string statistics_table(const Predictive& found) {
  std::vector<std::vector<std::string>> rows{
      {"statistic", "observation", "simulations (95 %)", "p"}};
  for (const PredictiveStatistic& one : found.statistics) {
    const std::string name = one.block.empty() ? one.name : one.name + " of " + one.block;
    rows.push_back({name, fmt::format("{:.4g}", one.observed),
                    fmt::format("{:.4g} .. {:.4g}", one.low, one.high),
                    fmt::format("{:.2g}", one.p)});
  }
  return table(rows);
}

void predict(const PredictArguments& arguments, const MpiJob& job) {
  arguments.options.validate();
  const RunDirectory run = open_run(arguments.directory);
  const SimulatorFacts& facts = facts_of(run.spec().simulator.kind);
  if (!facts.simulates) {
    fail(ErrorKind::input,
         "{}: its simulations come from {}, and hone cannot make more of them to compare with",
         arguments.directory, facts.in_words);
  }
  Progress progress;
  Predictive found;
  try {
    with_threads(job.threads(arguments.threads), [&] {
      check_simulator(run);
      const Resources resources(
          run,
          {.transport = job.transport(), .threads = arguments.threads, .with_simulator = true});
      found = predict_run(run, arguments.options, resources.executor(), progress);
    });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted) throw;
    fail(ErrorKind::interrupted,
         "stopped; finished simulations are kept. Start the same command again to continue");
  }
  progress.clear();
  if (const auto& joint = found.joint_check; joint && joint->status != Status::pass) {
    print_error(fmt::format("hone: parameters come from {}: {}: {}\n", found.source,
                            to_string(joint->status), joint->reason));
  }
  if (arguments.json) return print(to_json(found).dump(2) + "\n");
  print(fmt::format("{}: {} simulations with parameters from {}\n\n", arguments.directory,
                    found.simulations, found.source));
  print(statistics_table(found));
  print(fmt::format("\n{}: {}\n", to_string(found.status), found.reason));
  if (found.status != Status::pass) {
    print("the model may be wrong: look at the columns that stand out, `hone report` draws them\n");
  }
}

}  // namespace

void add_predict_command(CLI::App& program, MpiJob& job) {
  auto arguments = std::make_shared<PredictArguments>();
  CLI::App* command = program.add_subcommand(
      "predict", "Simulate with parameters from the posterior and compare with the observation");
  command->add_option("directory", arguments->directory, "Directory of the run")->required();
  command
      ->add_option("-n,--count", arguments->options.simulations,
                   "Number of simulations; they are kept, and never used for training")
      ->capture_default_str();
  command
      ->add_option(
          "--from", arguments->options.from,
          "Where parameters come from: posterior, region (the prior in the final region) or "
          "prior")
      ->capture_default_str();
  command->add_flag("--anyway", arguments->options.anyway,
                    "Simulate also with parameters from a joint posterior that fails its check");
  command->add_flag("--json", arguments->json, "Print JSON for scripts, with bands of all columns");
  command->add_option("--threads", arguments->threads, kThreadsHelp)
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->callback([arguments, &job] { predict(*arguments, job); });
}

}  // namespace hone::cli
