#include <algorithm>
#include <functional>
#include <memory>

#include <fmt/format.h>

#include "cli/bench_runs.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "hone/bench/comparison.h"
#include "hone/bench/comparison_figure.h"
#include "hone/bench/studies.h"
#include "hone/core/error.h"
#include "hone/inference/method.h"

// `hone bench`: the studies of the paper. Each writes results.csv, table.md and, for sbibm,
// figures.

namespace hone::cli {
namespace {

template <typename T>
std::vector<T> numbers(const std::string& flag, const std::vector<std::string>& words) {
  std::vector<T> list;
  for (const std::int64_t value : number_list(flag, words)) list.push_back(static_cast<T>(value));
  return list;
}

StudySettings settings_of(const BenchArguments& arguments) {
  return {numbers<std::uint64_t>("--seeds", arguments.seeds),
          arguments.preset,
          arguments.samples,
          chosen_options(arguments),
          {},
          given_options(arguments)};
}

// "all": every method that needs no likelihood.
std::vector<std::string> methods_of(const std::vector<std::string>& words) {
  if (words != std::vector<std::string>{"all"}) return words;
  std::vector<std::string> names;
  for (const Method& method : method_table()) {
    if (!method.needs_likelihood) names.push_back(method.name);
  }
  return names;
}

void report_files(const BenchArguments& arguments) {
  print(fmt::format("\nrows: {0}/results.csv, table: {0}/table.md\n", arguments.output));
}

struct SbibmArguments : BenchArguments {
  std::vector<std::string> tasks = published_tasks();
  std::vector<std::string> methods = {"tmnre"}, budgets = {"1000", "10000"}, observations = {"1-5"};
  std::string data;
};

void run_sbibm(const SbibmArguments& arguments) {
  ReferenceSource references(arguments.data);
  const BenchPlan plan{.tasks = arguments.tasks,
                       .budgets = numbers<Index>("--budgets", arguments.budgets),
                       .observations = numbers<int>("--observations", arguments.observations),
                       .seeds = numbers<std::uint64_t>("--seeds", arguments.seeds),
                       .methods = methods_of(arguments.methods),
                       .preset = arguments.preset,
                       .options = option_changes(chosen_options(arguments), arguments.preset,
                                                 given_options(arguments)),
                       .reference = references.name(),
                       .samples = arguments.samples};
  const std::vector<BenchRow> rows =
      in_table_order(run_cases(cases_of(plan), references, arguments));
  publish(arguments, "table.md", comparison_markdown(rows, published_scores()));
  const C2stFigure figure = c2st_figure(rows, published_scores());
  const std::filesystem::path output = arguments.output;
  for (const char* file : {"figure.svg", "figure.pdf", "figure.png"}) {
    draw_c2st_figure(output / file, figure);
  }
  report_files(arguments);
  print(fmt::format("figure: {}/figure.png, .svg, .pdf\n", arguments.output));
}

void add_sbibm(CLI::App& bench) {
  auto arguments = std::make_shared<SbibmArguments>();
  arguments->output = "bench/sbibm";
  CLI::App* command = bench.add_subcommand(
      "sbibm", "C2ST on the tasks of the sbibm benchmark, compared with the published numbers");
  const auto list = [&](const char* flag, std::vector<std::string>& values, const char* help) {
    command->add_option(flag, values, help)->delimiter(',')->capture_default_str();
  };
  list("--tasks", arguments->tasks, "Tasks (see `hone tasks`)");
  list("--budgets", arguments->budgets, "Simulations");
  list("--observations", arguments->observations, "Numbers of observations, such as 1-5");
  list("--methods", arguments->methods, "Methods (see `hone methods`), or all");
  command
      ->add_option("--data", arguments->data,
                   "Observations and reference posteriors in sbibm's layout, "
                   "TASK/files/num_observation_K/ [the tasks' own]")
      ->check(CLI::ExistingDirectory);
  add_bench_arguments(*command, *arguments);
  command->callback([arguments] { run_sbibm(*arguments); });
}

// A study on the task's own observation. `cases` reads what its own flags have set.
struct StudyArguments : BenchArguments {
  std::vector<std::string> budgets, methods;
  std::string budget;
  std::vector<double> epsilons = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  Index increment = 10000;
};
using MakeCases = std::function<std::vector<BenchCase>(const StudyArguments&)>;

void run_study(const StudyArguments& arguments, const MakeCases& make_cases, bool per_simulation) {
  const std::vector<BenchCase> cases = make_cases(arguments);
  ReferenceSource references;
  const std::vector<BenchRow> rows = run_cases(cases, references, arguments);
  publish(arguments, "table.md", study_markdown(cases, rows, per_simulation));
  report_files(arguments);
  if (arguments.methods.empty()) return;
  std::vector<BenchRow> wanted;
  for (const BenchRow& row : in_table_order(rows)) {
    if (std::ranges::find(cases, row.run) != cases.end()) wanted.push_back(row);
    // One line a method, whatever options its rounds need for each budget.
    if (!wanted.empty()) wanted.back().run.options.clear();
  }
  const std::filesystem::path output = arguments.output;
  for (const char* file : {"figure.svg", "figure.pdf", "figure.png"}) {
    draw_c2st_figure(output / file, c2st_figure(wanted, {}));
  }
  print(fmt::format("figure: {}/figure.png, .svg, .pdf\n", arguments.output));
}

StudySettings with_methods(StudySettings settings, const StudyArguments& arguments) {
  settings.methods = methods_of(arguments.methods);
  return settings;
}

void add_methods(CLI::App& command, StudyArguments& arguments) {
  command
      .add_option("--methods", arguments.methods,
                  "Methods (see `hone methods`), or all, with a figure of them [mnre, tmnre]")
      ->delimiter(',');
}

CLI::App* add_study(CLI::App& bench, const std::string& name, const std::string& help,
                    const std::shared_ptr<StudyArguments>& arguments, const MakeCases& make_cases,
                    bool per_simulation = false) {
  arguments->output = "bench/" + name;
  CLI::App* command = bench.add_subcommand(name, help);
  add_bench_arguments(*command, *arguments);
  command->callback([=] { run_study(*arguments, make_cases, per_simulation); });
  return command;
}

void add_torus(CLI::App& bench) {
  auto arguments = std::make_shared<StudyArguments>();
  for (const Index budget : kPaperTorusBudgets) {
    arguments->budgets.push_back(std::to_string(budget));
  }
  CLI::App* command = add_study(
      bench, "torus", "TMNRE against MNRE round by round, with the same simulations", arguments,
      [](const StudyArguments& a) {
        return torus_cases(with_methods(settings_of(a), a), numbers<Index>("--budgets", a.budgets));
      });
  add_methods(*command, *arguments);
  command
      ->add_option("--budgets", arguments->budgets,
                   "Simulations up to each step, those of the rounds before included")
      ->delimiter(',')
      ->capture_default_str();
}

void add_epsilon(CLI::App& bench) {
  auto arguments = std::make_shared<StudyArguments>();
  arguments->seeds = {"1-2"};
  arguments->budget = "200000";
  CLI::App* command = add_study(
      bench, "epsilon",
      "The torus for several values of epsilon, the threshold of truncation (paper: --seeds 1-5)",
      arguments,
      [](const StudyArguments& a) {
        return epsilon_cases(settings_of(a), a.epsilons, a.increment,
                             numbers<Index>("--budget", {a.budget}).front());
      },
      true);
  command->remove_option(command->get_option("--epsilon"));
  command->remove_option(command->get_option("--round-increment"));
  command->add_option("--epsilons", arguments->epsilons, "Thresholds")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--round-increment", arguments->increment, "New simulations per round")
      ->capture_default_str();
  command->add_option("--budget", arguments->budget, "Simulations of a run at most")
      ->capture_default_str();
}

void add_eggbox(CLI::App& bench, const std::string& task, const std::string& help) {
  auto arguments = std::make_shared<StudyArguments>();
  arguments->budget = "10000";
  CLI::App* command = add_study(bench, task, help, arguments, [task](const StudyArguments& a) {
    return eggbox_cases(with_methods(settings_of(a), a), task,
                        numbers<Index>("--budget", {a.budget}).front());
  });
  add_methods(*command, *arguments);
  command->add_option("--budget", arguments->budget, "Simulations")->capture_default_str();
}

}  // namespace

void add_bench_command(CLI::App& program) {
  CLI::App* bench =
      program.add_subcommand("bench", "Run a study of the paper, each by one command");
  bench->require_subcommand(1);
  add_sbibm(*bench);
  add_torus(*bench);
  add_epsilon(*bench);
  add_eggbox(*bench, "eggbox", "Ten parameters with two modes each, by MNRE and TMNRE");
  add_eggbox(*bench, "rotated_eggbox", "The eggbox, rotated against the axes of the prior");
  add_bench_cosmology(*bench);
  add_bench_coverage(*bench);
  add_bench_defaults(*bench);
}

}  // namespace hone::cli
