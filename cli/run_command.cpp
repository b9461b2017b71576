#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/execute.h"
#include "cli/option_flags.h"
#include "cli/rehearse.h"
#include "cli/text.h"
#include "cli/wrong_use.h"
#include "hone/core/error.h"
#include "hone/inference/problem_file.h"
#include "hone/store/number_file.h"
#include "hone/tasks/task.h"

namespace hone::cli {
namespace {

struct RunArguments {
  std::string problem;      // a task, or a file that ends in .toml
  std::string directory;    // empty: runs/<name>-<n>
  std::string preset;       // empty: the problem's own options
  std::string observation;  // file; empty: the problem's own
  std::optional<std::uint64_t> seed;
  int threads = 0;
  bool dry_run = false, prepare = false;
  std::vector<std::string> marginals;  // empty: all 1-d and 2-d
  OptionTexts options;
};

KnownTask known_task(const std::string& name) {
  const Task& task = find_task(name);
  return {task.prior, task.observation, task.budget, task.simulator()->data_size(), task.preset};
}

// The problem as its file or its task states it, without what the command line says.
Problem stated_problem(const RunArguments& arguments) {
  if (arguments.problem.ends_with(".toml")) return read_problem_file(arguments.problem, known_task);
  const KnownTask task = known_task(arguments.problem);
  SimulatorSpec simulator;
  simulator.task = arguments.problem;
  Problem problem{.name = arguments.problem,
                  .prior = task.prior,
                  .observation = task.observation,
                  .simulator = simulator,
                  .options = preset(task.preset),
                  .marginals = marginals_from_words({}, task.prior),
                  .seed = std::nullopt};
  problem.options.budget = task.budget;
  return problem;
}

std::vector<double> chosen_observation(const RunArguments& arguments, const Problem& problem) {
  if (arguments.observation.empty()) return problem.observation;
  const std::vector<double> values = read_numbers(arguments.observation);
  if (values.size() != problem.observation.size()) {
    fail(ErrorKind::input, "{}: the observation has {} numbers, the simulator of {} makes {}",
         arguments.observation, values.size(), problem.name, problem.observation.size());
  }
  return values;
}

// Everything is checked before the directory is made.
RunSpec make_spec(const RunArguments& arguments) {
  Problem problem = stated_problem(arguments);
  if (!arguments.preset.empty()) {
    const Index budget = problem.options.budget;
    problem.options = preset(arguments.preset);
    problem.options.budget = budget;
  }
  apply(problem.options, arguments.options);
  RunSpec spec{.name = problem.name,
               .simulator = problem.simulator,
               .noise = problem.noise,
               .seed = arguments.seed.value_or(problem.seed.value_or(1)),
               .prior = problem.prior,
               .observation = chosen_observation(arguments, problem),
               .marginals = arguments.marginals.empty()
                                ? problem.marginals
                                : marginals_from_words(arguments.marginals, problem.prior),
               .options = problem.options};
  spec.validate();
  return spec;
}

void run(const RunArguments& arguments) {
  RunSpec spec = [&] {
    try {
      return make_spec(arguments);
    } catch (const Error& error) {
      throw Error(error.kind(), with_flags(error.what(), arguments.options));
    }
  }();
  if (arguments.dry_run) return rehearse(spec, arguments.threads);
  const std::filesystem::path directory = arguments.directory.empty()
                                              ? create_next_run_directory("runs", spec.name)
                                              : std::filesystem::path(arguments.directory);
  Run created = Run::create(directory, std::move(spec));
  std::fputs(fmt::format("writing to {}\n", directory.string()).c_str(), stderr);
  if (arguments.prepare) {
    return print(
        fmt::format("nothing was run yet; begin with\n  hone ask {} --chunks 100\nor\n"
                    "  hone resume {}\n",
                    directory.string(), directory.string()));
  }
  execute(created, arguments.threads);
}

}  // namespace

void add_run_command(CLI::App& program) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = program.add_subcommand("run", "Infer the parameters of a problem");
  command
      ->add_option("problem", arguments->problem,
                   "Built-in problem (see `hone tasks`) or problem file (see `hone init`)")
      ->required();
  command->add_option("-o,--output", arguments->directory,
                      "Directory of the run [runs/<name>-<n>]; must be new");
  command->add_option("--seed", arguments->seed, "Same seed, same result [the problem's own, or 1]")
      ->check(check_seed, "");
  command->add_option("--threads", arguments->threads, kThreadsHelp)
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command
      ->add_option("--observation", arguments->observation,
                   "Text file with the observed numbers [the problem's own]")
      ->check(CLI::ExistingFile);
  command->add_option("--preset", arguments->preset,
                      fmt::format("Options to start from: {} [the problem's own]",
                                  fmt::join(preset_names(), ", ")));
  command->add_flag("--dry-run", arguments->dry_run,
                    "Check everything, run one simulation, say what would be done, and stop");
  command->add_flag("--prepare", arguments->prepare,
                    "Check everything, make the directory of the run, and stop: for `hone ask`");
  command->add_option("--marginal", arguments->marginals,
                      "Posterior to train, as names or indices: a or a,b or a,b,c; or 1d, 2d, "
                      "joint. Repeat for more [1d 2d]");
  add_option_flags(*command, arguments->options, {});
  command->callback([arguments] { run(*arguments); });
}

}  // namespace hone::cli
