#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/execute.h"
#include "cli/open_run.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "cli/wrong_use.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/files/output_file.h"
#include "hone/run/ask_tell_files.h"
#include "hone/run/chunks.h"
#include "hone/session/open_simulator.h"

namespace hone::cli {
namespace {

struct AskArguments {
  std::string directory, output;
  std::string format = "csv";
  Index count = 1000;
  Index chunks = 0;
  bool json = false;
  int threads = 0;
};

// What runs the open chunks on a batch system.
std::string array_command(const AskedChunks& asked, const std::string& numbers) {
  const std::string task = fmt::format("hone simulate {} --number $SLURM_ARRAY_TASK_ID",
                                       shell_word(asked.directory.string()));
  return fmt::format("sbatch --array={} --wrap {}", numbers, shell_word(task));
}

nlohmann::ordered_json chunk_facts(const AskedChunks& asked, const std::string& numbers) {
  nlohmann::ordered_json facts{{"finished", asked.waiting == 0}};
  if (asked.waiting > 0) {
    facts["round"] = asked.round;
    facts["waiting"] = asked.waiting;
    facts["directory"] = asked.directory.string();
    facts["array"] = numbers;
    facts["chunks"] = nlohmann::ordered_json::array();
    for (const OpenChunk& chunk : asked.open) {
      facts["chunks"].push_back({{"number", chunk.number},
                                 {"file", chunk_file(asked.directory, chunk.number).string()},
                                 {"simulations", chunk.simulations}});
    }
    facts["command"] = array_command(asked, numbers);
  }
  facts["refused"] = asked.refused;
  return facts;
}

void say_finished(const std::string& directory) {
  print_error(fmt::format("{} is finished; nothing is left to simulate\n", directory));
}

void run_chunks(const AskArguments& arguments) {
  RunDirectory run = open_run(arguments.directory);
  check_simulator(run);
  AskedChunks asked;
  {
    Progress progress;
    with_threads(arguments.threads, [&] {
      const OpenSimulator open = open_run_simulator(run.spec(), {});
      asked = ask_chunks(run, arguments.chunks, open.executor->noise(), progress);
    });
  }
  warn_of_refused(asked.refused);
  std::vector<Index> open;
  for (const OpenChunk& chunk : asked.open) open.push_back(chunk.number);
  const std::string numbers = number_ranges(open);
  if (arguments.json) return print(chunk_facts(asked, numbers).dump(2) + "\n");
  if (asked.waiting == 0) {
    say_finished(arguments.directory);
    return print(fmt::format("check it and write its report with\n  hone resume {}\n",
                             shell_word(arguments.directory)));
  }
  print(fmt::format(
      "round {} waits for {} simulations, in {} chunks. Run them, with Slurm by\n  {}\nand store "
      "the results that have arrived, as often as you like, by\n  hone tell {}\n",
      asked.round, asked.waiting, open.size(), array_command(asked, numbers),
      shell_word(arguments.directory)));
}

// What others simulate has no place for the noise that a library keeps to itself.
void check_noise(const RunDirectory& run) {
  const SimulatorFacts& facts = facts_of(run.spec().simulator.kind);
  if (!facts.brings_noise || !facts.opens_by_itself) return;
  if (open_run_simulator(run.spec()).executor->noise() == nullptr) return;
  fail(ErrorKind::input,
       "the simulator of {} has its own noise, so that only hone can run it; use --chunks",
       run.path().string());
}

void run(const AskArguments& arguments) {
  check_output_directory(arguments.output);
  RunDirectory run = open_run(arguments.directory);
  check_noise(run);
  const auto names = run.spec().prior.names();
  asked_text({}, names, arguments.format);  // an unknown format is refused before any work
  AskedSimulations asked;
  {
    Progress progress;
    with_threads(arguments.threads, [&] { asked = ask(run, arguments.count, progress); });
  }
  if (asked.waiting == 0) return say_finished(arguments.directory);
  const std::string text = asked_text(asked.request, names, arguments.format);
  if (arguments.output.empty()) {
    std::fwrite(text.data(), 1, text.size(), stdout);
  } else {
    write_output_file(arguments.output, text);
  }
  print_error(
      fmt::format("{} of the {} simulations this round waits for; hand back results with\n"
                  "  hone tell {} RESULTS\n",
                  asked.request.rows(), asked.waiting, arguments.directory));
}

}  // namespace

void add_ask_command(CLI::App& program) {
  auto arguments = std::make_shared<AskArguments>();
  CLI::App* command = program.add_subcommand(
      "ask",
      "Write the parameters that a run needs next, to be simulated elsewhere. Safe to repeat");
  command->add_option("directory", arguments->directory, "Directory of the run")->required();
  CLI::Option* count =
      command->add_option("-n,--count", arguments->count, "Largest number of simulations to write")
          ->check(CLI::PositiveNumber)
          ->capture_default_str();
  CLI::Option* format =
      command->add_option("--format", arguments->format, "Format: csv, jsonl or npy")
          ->capture_default_str();
  CLI::Option* output =
      command->add_option("-o,--output", arguments->output, "File to write [standard output]");
  CLI::Option* chunks =
      command
          ->add_option("--chunks", arguments->chunks,
                       "Divide all simulations of the round into this many files for `hone "
                       "simulate`; first stores the results that have arrived")
          ->check(CLI::Range(1, 100000))
          ->excludes(count)
          ->excludes(format)
          ->excludes(output);
  command->add_flag("--json", arguments->json, "Print JSON for scripts")->needs(chunks);
  command->add_option("--threads", arguments->threads, kThreadsHelp)
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->callback(
      [arguments] { arguments->chunks > 0 ? run_chunks(*arguments) : run(*arguments); });
}

}  // namespace hone::cli
