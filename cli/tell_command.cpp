#include <memory>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/open_run.h"
#include "cli/text.h"
#include "hone/core/error.h"
#include "hone/run/ask_tell_files.h"
#include "hone/run/chunks.h"
#include "hone/session/open_simulator.h"

namespace hone::cli {
namespace {

struct TellArguments {
  std::string directory, results;
  bool json = false;
};

struct Told {
  ToldSummary summary;
  std::vector<std::string> refused;  // results of chunks
};

// Results of chunks: those in the directory of the run, or this one.
Told take_in_chunks(RunDirectory& run, const std::string& file) {
  const OpenSimulator open = open_run_simulator(run.spec(), {});
  const std::vector<std::filesystem::path> files(file.empty() ? 0 : 1, file);
  ToldChunks told = tell_chunks(run, open.executor->noise(), files);
  if (!file.empty() && !told.refused.empty()) throw Error(ErrorKind::input, told.refused[0]);
  return {{told.stored, told.failed, told.repeated, told.waiting}, std::move(told.refused)};
}

void run(const TellArguments& arguments) {
  RunDirectory run = open_run(arguments.directory);
  const bool chunks = arguments.results.empty() || arguments.results.ends_with(".h5");
  const auto [told, refused] =
      chunks ? take_in_chunks(run, arguments.results)
             : Told{tell(run, read_told_results(arguments.results, run.spec().prior.names(),
                                                run.spec().data.may_be_missing())),
                    {}};
  warn_of_refused(refused);
  if (arguments.json) {
    nlohmann::ordered_json facts{{"stored", told.stored},
                                 {"failed", told.failed},
                                 {"repeated", told.repeated},
                                 {"waiting", told.waiting}};
    if (chunks) facts["refused"] = refused;
    return print(facts.dump(2) + "\n");
  }
  print(fmt::format("{} results stored, {} of them failed; {} were known already\n", told.stored,
                    told.failed, told.repeated));
  if (run.finished()) return;
  print(told.waiting > 0 ? fmt::format("this round waits for {} more\n", told.waiting)
                         : fmt::format("this round is complete; go on with\n  hone ask {}{}\n",
                                       arguments.directory, chunks ? " --chunks N" : ""));
}

}  // namespace

void add_tell_command(CLI::App& program) {
  auto arguments = std::make_shared<TellArguments>();
  CLI::App* command = program.add_subcommand(
      "tell", "Store the results of simulations made elsewhere in a run. Safe to repeat");
  command->add_option("directory", arguments->directory, "Directory of the run")->required();
  command->add_option(
      "results", arguments->results,
      "File: .csv (id, x columns, error), .jsonl ({\"id\": 7, \"x\": [..]}) or .npz "
      "(id, x), or the .h5 result of a chunk [all results of chunks that have arrived]");
  command->add_flag("--json", arguments->json, "Print JSON for scripts");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace hone::cli
