#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/execute.h"
#include "cli/open_run.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/session/compare_runs.h"

namespace hone::cli {
namespace {

struct ModelsArguments {
  std::vector<std::string> directories;
  ModelComparisonOptions options;
  bool json = false;
  int threads = 0;
};

// A path need not be valid UTF-8.
void print_json(const nlohmann::ordered_json& json) {
  print(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

std::string percent(double probability) {
  return fmt::format("{:.3g} %", 100 * probability);
}

std::string model_table(const ModelComparison& found) {
  std::vector<std::vector<std::string>> rows{
      {"model", "prior", "probability", "log Bayes factor", "simulations", "prior mass"}};
  for (std::size_t m = 0; m < found.models.size(); ++m) {
    const ComparedModel& one = found.models[m];
    rows.push_back({one.name, percent(one.prior), percent(one.probability),
                    m == found.best
                        ? "0 (best)"
                        : fmt::format("{:.2f} +- {:.2f}", one.log_bayes_factor, one.error),
                    fmt::format("{}", one.region.simulations),
                    fmt::format("{:.3g}", std::exp(one.region.log_mass))});
  }
  return table(rows);
}

std::string way_lines(const ModelComparison& found) {
  std::string text;
  for (const ModelWay& way : found.ways) {
    text += fmt::format("  by {}, with weight {:.2f}:", way.name, way.share);
    for (std::size_t m = 0; m < found.models.size(); ++m) {
      if (m == found.best) continue;
      text += fmt::format(" {} {:.2f}", found.models[m].name, way.log_bayes_factor[m]);
    }
    text += "\n";
  }
  return text;
}

// Odds beyond those of all held-out simulations are extrapolated.
std::string beyond_lines(const ModelComparison& found) {
  if (found.known) return "";
  std::string text;
  for (std::size_t m = 0; m < found.models.size(); ++m) {
    const ComparedModel& one = found.models[m];
    if (m == found.best || one.beyond > 0) continue;
    text += fmt::format(
        "the observation fits model {} worse than all of its {} held-out simulations do: its "
        "probability is small, but how small is an extrapolation\n",
        one.name, one.held_out);
  }
  return text;
}

void one_model(const RunDirectory& run, bool json) {
  const ModelEvidence found = evidence_of_run(run);
  if (json) return print_json(to_json(found));
  print(fmt::format("{}: log evidence {:.3f} +- {:.3f}, from the declared noise\n{}: {}\n",
                    found.name, found.log_evidence, found.error, to_string(found.status),
                    found.reason));
}

void models(const ModelsArguments& arguments) {
  std::vector<RunDirectory> runs;
  for (const std::string& directory : arguments.directories) runs.push_back(open_run(directory));
  arguments.options.validate(runs.size());
  if (runs.size() == 1) return one_model(runs[0], arguments.json);
  std::vector<const RunDirectory*> pointers;
  for (const RunDirectory& run : runs) pointers.push_back(&run);
  Progress progress;
  ModelComparison found;
  with_threads(arguments.threads,
               [&] { found = compare_runs(pointers, arguments.options, progress); });
  progress.clear();
  if (arguments.json) {
    print_json(to_json(found));
  } else {
    print(model_table(found) + "\n");
    print("log Bayes factor: log of the evidence over that of the best model\n" + way_lines(found) +
          beyond_lines(found));
    print(fmt::format("\n{}: {}\n", to_string(found.status), found.reason));
  }
  if (found.status == Status::fail) {
    fail(ErrorKind::numerical, "the probabilities fail their test");
  }
}

}  // namespace

void add_models_command(CLI::App& program) {
  auto arguments = std::make_shared<ModelsArguments>();
  CLI::App* command = program.add_subcommand(
      "models", "Compare models: runs on the same observation, each with its own parameters");
  command
      ->add_option(
          "directories", arguments->directories,
          "Directories of the runs to compare. With only one, whose problem declares its noise: "
          "print its evidence")
      ->required();
  command
      ->add_option("--prior", arguments->options.prior,
                   "Prior probability of each model, up to a common factor, such as 1,2 [equal]")
      ->delimiter(',');
  command->add_flag("--json", arguments->json, "Print JSON for scripts");
  command->add_option("--threads", arguments->threads, kThreadsHelp)
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->callback([arguments] { models(*arguments); });
}

}  // namespace hone::cli
