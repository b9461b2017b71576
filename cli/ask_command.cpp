#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/execute.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "cli/wrong_use.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/inference/ask_tell_files.h"
#include "hone/store/files.h"

namespace hone::cli {
namespace {

struct AskArguments {
  std::string directory, output;
  std::string format = "csv";
  Index count = 1000;
  int threads = 0;
};

void run(const AskArguments& arguments) {
  check_output_directory(arguments.output);
  Run run = Run::open(arguments.directory);
  const auto names = run.spec().prior.names();
  asked_text({}, names, arguments.format);  // an unknown format is refused before any work
  AskedSimulations asked;
  {
    Progress progress;
    with_threads(arguments.threads, [&] { asked = ask(run, arguments.count, progress); });
  }
  if (asked.waiting == 0) {
    std::fputs(
        fmt::format("{} is finished; nothing is left to simulate\n", arguments.directory).c_str(),
        stderr);
    return;
  }
  const std::string text = asked_text(asked.request, names, arguments.format);
  if (arguments.output.empty()) {
    std::fwrite(text.data(), 1, text.size(), stdout);
  } else {
    write_file_atomically(arguments.output, text);
  }
  std::fputs(fmt::format("{} of the {} simulations this round waits for; hand back results with\n"
                         "  hone tell {} RESULTS\n",
                         asked.request.rows(), asked.waiting, arguments.directory)
                 .c_str(),
             stderr);
}

}  // namespace

void add_ask_command(CLI::App& program) {
  auto arguments = std::make_shared<AskArguments>();
  CLI::App* command = program.add_subcommand(
      "ask", "Parameters that a run waits for, to be simulated elsewhere. Safe to repeat");
  command->add_option("directory", arguments->directory, "Directory of the run")->required();
  command->add_option("-n,--count", arguments->count, "How many at most")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--format", arguments->format, "csv, jsonl or npy")->capture_default_str();
  command->add_option("-o,--output", arguments->output, "File to write [standard output]");
  command->add_option("--threads", arguments->threads, kThreadsHelp)
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->callback([arguments] { run(*arguments); });
}

}  // namespace hone::cli
