#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/execute.h"
#include "cli/open_run.h"
#include "cli/option_flags.h"
#include "cli/rehearse.h"
#include "cli/text.h"
#include "cli/wrong_use.h"
#include "hone/core/error.h"
#include "hone/files/number_file.h"
#include "hone/inference/option_table.h"
#include "hone/run/run_lock.h"
#include "hone/session/session.h"

namespace hone::cli {
namespace {

struct RunArguments {
  std::string problem;      // a task, or a file that ends in .toml; or instead
  std::string from;         // a run, of which this one is a variant
  std::string directory;    // empty: runs/<name>-<n>
  std::string preset;       // empty: the problem's own options
  std::string observation;  // file; empty: the problem's own
  std::optional<std::uint64_t> seed;
  int threads = 0;
  bool dry_run = false, prepare = false;
  std::vector<std::string> marginals;  // empty: all 1-d and 2-d
  std::vector<std::string> derived;    // "name = formula"
  OptionTexts options;
};

std::vector<double> read_observation(const std::string& file, const std::string& name,
                                     std::size_t size, const DataDescription& data) {
  std::vector<double> values = read_numbers(file, data.has_missing());
  if (values.size() != size) {
    fail(ErrorKind::input, "{}: the observation has {} numbers, the simulator of {} makes {}", file,
         values.size(), name, size);
  }
  data.check_gaps(values);
  return values;
}

// Of a Problem or a RunSpec.
template <typename T>
void change(T& original, const RunArguments& arguments) {
  if (!arguments.preset.empty()) {
    const Index budget = original.options.budget;
    const auto method = arguments.options.find("method");
    original.options =
        preset(arguments.preset, method == arguments.options.end() ? "" : method->second);
    original.options.budget = budget;
  }
  apply(original.options, arguments.options);
  if (!arguments.observation.empty()) {
    original.observation = read_observation(arguments.observation, original.name,
                                            original.observation.size(), original.data);
  }
  if (!arguments.derived.empty()) {
    const int before = original.prior.quantities();
    original.prior = original.prior.with_derived(parse_derived(arguments.derived));
    std::ranges::copy(marginals_of_new(original.prior, before),
                      std::back_inserter(original.marginals));
  }
  if (!arguments.marginals.empty()) {
    original.marginals = marginals_from_words(arguments.marginals, original.prior);
  }
}

RunSpec variant_of_run(const RunArguments& arguments) {
  RunSpec spec = open_run(arguments.from).spec();
  if (!facts_of(spec.simulator.kind).opens_by_itself) {
    fail(ErrorKind::input,
         "--from {}: its simulator is a function of the program that made it; make the new run "
         "there, in another directory",
         arguments.from);
  }
  change(spec, arguments);
  spec.seed = arguments.seed.value_or(spec.seed);
  spec.reuses = std::filesystem::absolute(arguments.from).lexically_normal().string();
  spec.validate();
  return spec;
}

// Everything is checked before the directory is made.
RunSpec make_spec(const RunArguments& arguments) {
  if (!arguments.from.empty()) return variant_of_run(arguments);
  if (arguments.problem.empty()) {
    fail(ErrorKind::input,
         "problem: must be given, a built-in one (`hone tasks`) or a problem file (`hone init`); "
         "or --from with the directory of a run");
  }
  Problem problem = read_problem(arguments.problem);
  change(problem, arguments);
  return run_spec(problem, arguments.seed);
}

void run(const RunArguments& arguments, const MpiJob& job) {
  RunSpec spec = [&] {
    try {
      return make_spec(arguments);
    } catch (const Error& error) {
      throw with_flags(error, arguments.options);
    }
  }();
  if (arguments.dry_run) return rehearse(spec, arguments.threads);
  const std::filesystem::path directory = arguments.directory.empty()
                                              ? create_next_run_directory("runs", spec.name)
                                              : std::filesystem::path(arguments.directory);
  print_error(many_marginals_warning(spec));
  RunDirectory created = RunDirectory::create(directory, std::move(spec));
  print_error(fmt::format("writing to {}\n", directory.string()));
  if (arguments.prepare) {
    return print(fmt::format(
        "nothing has been run yet; begin with\n  hone ask {} --chunks 100\nor\n  hone resume {}\n",
        directory.string(), directory.string()));
  }
  execute(created, job, arguments.threads);
}

}  // namespace

void add_run_command(CLI::App& program, MpiJob& job) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = program.add_subcommand("run",
                                             "Infer the parameters of a problem: simulate, train "
                                             "networks, check the result, write a report");
  CLI::Option* problem =
      command->add_option("problem", arguments->problem,
                          "Built-in problem (see `hone tasks`) or problem file (see `hone init`)");
  command
      ->add_option(
          "--from", arguments->from,
          "Instead of a problem: directory of an earlier run. The new run is the same but for the "
          "options that you give, and uses simulations of the earlier one where they fit")
      ->excludes(problem);
  command->add_option("-o,--output", arguments->directory,
                      "Directory to make for the run; must not exist yet [runs/<name>-<n>]");
  command
      ->add_option("--seed", arguments->seed,
                   "Seed of all random numbers; the same seed gives the same result [the problem's "
                   "own, or 1]")
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
  command->add_flag(
      "--dry-run", arguments->dry_run,
      "Check the problem, run a few simulations (41 at most), say what a run would do, and "
      "stop");
  command->add_flag("--prepare", arguments->prepare,
                    "Check the problem, make the directory of the run, and stop; `hone ask` "
                    "continues from there");
  command->add_option(
      "--marginal", arguments->marginals,
      "Which posterior to learn: names or indices of parameters such as a or a,b; or 1d (all "
      "single parameters), 2d (all pairs), joint (all parameters together). Can be "
      "given several times [1d 2d]");
  command->add_option("--derived", arguments->derived, kDerivedHelp);
  add_option_flags(*command, arguments->options, {});
  command->callback([arguments, &job] { run(*arguments, job); });
}

}  // namespace hone::cli
