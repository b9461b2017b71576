#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "cli/bench_runs.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "hone/bench/defaults_study.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/files/files.h"

// `hone bench defaults`: ten problems as scientists bring them, with default settings, against
// their exact posteriors.

namespace hone::cli {
namespace {

struct DefaultsArguments : BenchArguments {
  std::vector<std::string> problems;
  Index budget = 0;
  bool undeclared = false, quick = false;
};

std::vector<DefaultsCase> cases_of(const DefaultsArguments& arguments) {
  std::vector<DefaultsCase> cases;
  for (const std::string& name : arguments.problems) {
    InferenceOptions options = chosen_options(arguments);
    options.budget = arguments.budget > 0 ? arguments.budget : find_default_problem(name).budget;
    for (const std::int64_t seed : number_list("--seeds", arguments.seeds)) {
      cases.push_back({name, static_cast<std::uint64_t>(seed), options, arguments.samples,
                       !arguments.undeclared, arguments.quick});
    }
  }
  return cases;
}

void run_defaults(const DefaultsArguments& arguments) {
  const std::vector<DefaultsCase> cases = cases_of(arguments);
  const std::filesystem::path output = arguments.output;
  Progress progress;
  std::vector<DefaultsRow> rows;
  try {
    with_threads(arguments.threads, [&] {
      for (const DefaultsCase& one : cases) {
        const std::string name = fmt::format("{}-{}", one.problem, one.seed);
        progress.context_changed(name);
        const auto start = std::chrono::steady_clock::now();
        rows.push_back(run_defaults_case(one, output / "runs" / name, progress));
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        rows.back().seconds = took.count();
        write_file_atomically(output / "results.csv", defaults_csv(rows));
      }
    });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted) throw;
    fail(ErrorKind::interrupted, "stopped; the same command goes on from here");
  }
  progress.clear();
  publish(arguments, "table.md", defaults_markdown(rows));
  print(fmt::format("\nrows: {0}/results.csv, table: {0}/table.md, runs: {0}/runs\n",
                    arguments.output));
  for (const DefaultsRow& row : rows) {
    if (!row.wrong() || row.verdict != Status::pass) continue;
    fail(ErrorKind::numerical, "{}, seed {}: the answer is wrong and the verdict is pass",
         row.problem, row.seed);
  }
}

}  // namespace

void add_bench_defaults(CLI::App& bench) {
  auto arguments = std::make_shared<DefaultsArguments>();
  arguments->output = "bench/defaults";
  arguments->samples = 5000;
  for (const DefaultProblem& one : default_problems()) arguments->problems.push_back(one.name);
  CLI::App* command = bench.add_subcommand(
      "defaults",
      "Ten problems as scientists bring them, with default settings, against exact posteriors");
  add_bench_arguments(*command, *arguments);
  command->remove_option(command->get_option("--jobs"));
  command->add_option("--problems", arguments->problems, "Problems")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--budget", arguments->budget, "Simulations of a run; 0: the problem's own")
      ->check(CLI::Range(Index{0}, Index{100000000}))
      ->capture_default_str();
  command->add_flag("--undeclared", arguments->undeclared,
                    "Do not say what the data are: all are vectors");
  command->add_flag("--quick", arguments->quick, "1-d marginals only, and no checks");
  command->callback([arguments] { run_defaults(*arguments); });
}

}  // namespace hone::cli
