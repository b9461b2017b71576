#include <memory>

#include "cli/commands.h"
#include "cli/execute.h"

namespace hone::cli {

void add_resume_command(CLI::App& program, MpiJob& job) {
  struct Arguments {
    std::string directory;
    int threads = 0;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand(
      "resume", "Continue a run that was stopped or killed, from the point that it had reached");
  command->add_option("directory", arguments->directory, "Directory of the run")->required();
  command->add_option("--threads", arguments->threads, kThreadsHelp)
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->callback([arguments, &job] {
    RunDirectory run = RunDirectory::open(arguments->directory);
    execute(run, job, arguments->threads);
  });
}

}  // namespace hone::cli
