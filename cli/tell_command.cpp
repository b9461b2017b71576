#include <memory>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/text.h"
#include "hone/inference/ask_tell_files.h"

namespace hone::cli {
namespace {

struct TellArguments {
  std::string directory, results;
  bool json = false;
};

void run(const TellArguments& arguments) {
  Run run = Run::open(arguments.directory);
  const ToldSummary told =
      tell(run, read_told_results(arguments.results, run.spec().prior.names()));
  if (arguments.json) {
    const nlohmann::ordered_json facts{{"stored", told.stored},
                                       {"failed", told.failed},
                                       {"repeated", told.repeated},
                                       {"waiting", told.waiting}};
    return print(facts.dump(2) + "\n");
  }
  print(fmt::format("{} results stored, {} of them failed; {} were known already\n", told.stored,
                    told.failed, told.repeated));
  if (run.finished()) return;
  print(told.waiting > 0 ? fmt::format("this round waits for {} more\n", told.waiting)
                         : fmt::format("this round is complete; go on with\n  hone ask {}\n",
                                       arguments.directory));
}

}  // namespace

void add_tell_command(CLI::App& program) {
  auto arguments = std::make_shared<TellArguments>();
  CLI::App* command = program.add_subcommand(
      "tell", "Take results of simulations made elsewhere into a run. Safe to repeat");
  command->add_option("directory", arguments->directory, "Directory of the run")->required();
  command
      ->add_option("results", arguments->results,
                   "File: .csv (id, x columns, error), .jsonl ({\"id\": 7, \"x\": [..]}) or .npz "
                   "(id, x)")
      ->required();
  command->add_flag("--json", arguments->json, "Print JSON for scripts");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace hone::cli
