#include <memory>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/text.h"

namespace hone::cli {
namespace {

void show(const Run& run) {
  const RunSpec& spec = run.spec();
  const auto store = run.simulations();
  print(fmt::format("{}: {} (seed {}), {}\n", run.directory().string(), spec.name, spec.seed,
                    run.finished() ? "finished"
                                   : fmt::format("not finished; go on with `hone resume {}`",
                                                 run.directory().string())));
  print(fmt::format("{} of {} simulations, {} failed\n\n", store ? store->rows() : 0,
                    spec.options.budget, store ? store->failed_rows() : 0));
  if (const std::string rounds = round_table(run); !rounds.empty()) print(rounds + "\n");
  if (const auto region = run.final_region()) {
    print(to_string(*region, spec.prior) + "\n");
  }
  if (const auto summary = run.summary()) {
    print(parameter_table(summary->parameters) + "\n");
    print(warning_lines(summary->warnings));
  }
}

}  // namespace

void add_show_command(CLI::App& program) {
  struct Arguments {
    std::string directory;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      program.add_subcommand("show", "Rounds, region, simulations and parameters of a run");
  command->add_option("directory", arguments->directory, "Directory of the run")->required();
  command->add_flag("--json", arguments->json, "Print JSON for scripts");
  command->callback([arguments] {
    const Run run = Run::open(arguments->directory);
    if (arguments->json) {
      print(run_facts(run).dump(2) + "\n");
    } else {
      show(run);
    }
  });
}

}  // namespace hone::cli
