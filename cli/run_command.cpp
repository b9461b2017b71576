#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/execute.h"
#include "cli/text.h"
#include "cli/wrong_use.h"
#include "hone/core/error.h"
#include "hone/store/number_file.h"
#include "hone/tasks/task.h"

namespace hone::cli {
namespace {

struct RunArguments {
  std::string task;
  std::string directory;  // empty: runs/<name>-<n>
  std::string preset = "default";
  std::string observation;  // file; empty: the task's own
  std::uint64_t seed = 1;
  int threads = 0;
  std::vector<std::string> marginals;          // empty: all 1-d and 2-d
  std::map<std::string, std::string> options;  // of the option table, as given
};

std::string flag_of(const std::string& option) {
  std::string flag = "--" + option;
  std::ranges::replace(flag, '_', '-');
  return flag;
}

std::vector<Marginal> chosen_marginals(const RunArguments& arguments, const Prior& prior) {
  std::vector<Marginal> marginals;
  const auto add = [&](const std::vector<Marginal>& more) {
    for (const Marginal& one : more) {
      if (std::ranges::find(marginals, one) == marginals.end()) marginals.push_back(one);
    }
  };
  const int dimensions = prior.dimensions();
  std::vector<std::string> words = arguments.marginals;
  if (words.empty()) words = {"1d", "2d"};
  for (const std::string& word : words) {
    if (word == "1d") {
      add(one_dimensional(dimensions));
    } else if (word == "2d") {
      add(two_dimensional(dimensions));
    } else if (word == "joint") {
      add({joint(dimensions)});
    } else {
      add({parse_marginal(word, prior.names())});
    }
  }
  return marginals;
}

std::vector<double> chosen_observation(const RunArguments& arguments, const Task& task) {
  if (arguments.observation.empty()) return task.observation;
  const std::vector<double> values = read_numbers(arguments.observation);
  if (values.size() != task.observation.size()) {
    fail(ErrorKind::input, "{}: the observation has {} numbers, the simulator of {} makes {}",
         arguments.observation, values.size(), task.name, task.observation.size());
  }
  return values;
}

// Everything is checked before the directory is made.
RunSpec make_spec(const RunArguments& arguments) {
  const Task& task = find_task(arguments.task);
  InferenceOptions options = preset(arguments.preset);
  options.budget = task.budget;
  for (const auto& [name, text] : arguments.options) set_option(options, name, text);
  RunSpec spec{.name = task.name,
               .task = task.name,
               .seed = arguments.seed,
               .prior = task.prior,
               .observation = chosen_observation(arguments, task),
               .marginals = chosen_marginals(arguments, task.prior),
               .options = options};
  spec.validate();
  return spec;
}

void run(const RunArguments& arguments) {
  RunSpec spec = make_spec(arguments);
  const std::filesystem::path directory = arguments.directory.empty()
                                              ? create_next_run_directory("runs", spec.name)
                                              : std::filesystem::path(arguments.directory);
  Run created = Run::create(directory, std::move(spec));
  std::fputs(fmt::format("writing to {}\n", directory.string()).c_str(), stderr);
  execute(created, arguments.threads);
}

}  // namespace

void add_run_command(CLI::App& program) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = program.add_subcommand("run", "Infer the parameters of a problem");
  command->add_option("task", arguments->task, "Built-in problem (see `hone tasks`)")->required();
  command->add_option("-o,--output", arguments->directory,
                      "Directory of the run [runs/<name>-<n>]; must be new");
  command->add_option("--seed", arguments->seed, "Same seed, same result")
      ->check(check_seed, "")
      ->capture_default_str();
  command->add_option("--threads", arguments->threads, kThreadsHelp)
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command
      ->add_option("--observation", arguments->observation,
                   "Text file with the observed numbers [the problem's own]")
      ->check(CLI::ExistingFile);
  command->add_option("--preset", arguments->preset, "Options to start from: default or paper")
      ->capture_default_str();
  command->add_option("--marginal", arguments->marginals,
                      "Posterior to train, as names or indices: a or a,b or a,b,c; or 1d, 2d, "
                      "joint. Repeat for more [1d 2d]");
  const InferenceOptions defaults = preset("default");
  for (const OptionEntry& entry : option_table()) {
    const std::string standard =
        entry.name == "budget" ? "the problem's own" : entry.get(defaults).dump();
    command
        ->add_option_function<std::string>(
            flag_of(entry.name),
            [arguments, name = entry.name](const std::string& text) {
              arguments->options[name] = text;
            },
            fmt::format("{} ({}) [{}]", entry.help, entry.values, standard))
        ->group(entry.group);
  }
  command->callback([arguments] { run(*arguments); });
}

}  // namespace hone::cli
