#include <memory>

#include <fmt/format.h>

#include "cli/bench_runs.h"
#include "cli/execute.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "hone/bench/coverage_study.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/files/output_file.h"
#include "hone/tasks/task.h"

// `hone bench coverage`: a run of every task, checked with fresh simulations.

namespace hone::cli {
namespace {

struct CoverageArguments : BenchArguments {
  std::vector<std::string> tasks;
  Index budget = 0, draws = 10000;
};

std::vector<CoverageCase> cases_of(const CoverageArguments& arguments) {
  std::vector<CoverageCase> cases;
  for (const std::string& name : arguments.tasks) {
    BenchArguments chosen = arguments;
    if (chosen.preset == "default") chosen.preset = find_task(name).preset;
    InferenceOptions options = chosen_options(chosen);
    options.budget = arguments.budget > 0 ? arguments.budget : find_task(name).budget;
    for (const std::int64_t seed : number_list("--seeds", arguments.seeds)) {
      cases.push_back({name, static_cast<std::uint64_t>(seed), options, arguments.draws});
    }
  }
  return cases;
}

void run_coverage(const CoverageArguments& arguments) {
  const std::vector<CoverageCase> cases = cases_of(arguments);
  const std::filesystem::path output = arguments.output;
  Progress progress;
  std::vector<CoverageRow> rows;
  try {
    with_threads(arguments.threads, [&] {
      for (const CoverageCase& one : cases) {
        const std::string name = fmt::format("{}-{}", one.task, one.seed);
        progress.context_changed(name);
        rows.push_back(run_coverage_case(one, output / "runs" / name, progress));
        write_output_file(output / "results.csv", coverage_csv(rows));
      }
    });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted) throw;
    fail(ErrorKind::interrupted, "stopped; the same command goes on from here");
  }
  progress.clear();
  publish(arguments, "table.md", coverage_markdown(rows));
  print(fmt::format("\nrows: {0}/results.csv, table: {0}/table.md, runs: {0}/runs\n",
                    arguments.output));
}

}  // namespace

void add_bench_coverage(CLI::App& bench) {
  auto arguments = std::make_shared<CoverageArguments>();
  arguments->output = "bench/coverage";
  for (const Task& task : all_tasks()) arguments->tasks.push_back(task.name);
  CLI::App* command = bench.add_subcommand(
      "coverage", "Coverage of runs on the built-in tasks, tested with fresh simulations");
  add_bench_arguments(*command, *arguments);
  command->remove_option(command->get_option("--samples"));
  command->remove_option(command->get_option("--jobs"));
  command->add_option("--tasks", arguments->tasks, "Tasks (see `hone tasks`)")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--budget", arguments->budget, "Simulations of a run; 0: the task's own")
      ->check(CLI::Range(Index{0}, Index{100000000}))
      ->capture_default_str();
  command->add_option("--draws", arguments->draws, "Simulations to test each run with")
      ->check(CLI::Range(Index{50}, Index{1000000}))
      ->capture_default_str();
  command->callback([arguments] { run_coverage(*arguments); });
}

}  // namespace hone::cli
