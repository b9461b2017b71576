#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/text.h"
#include "hone/core/error.h"
#include "hone/files/files.h"
#include "hone/problem/problem_file.h"

namespace hone::cli {

void add_init_command(CLI::App& program) {
  auto file = std::make_shared<std::string>("problem.toml");
  CLI::App* command =
      program.add_subcommand("init", "Write a commented problem file to start from");
  command->add_option("file", *file, "File to write; must not exist yet")->capture_default_str();
  command->callback([file] {
    if (std::filesystem::exists(*file)) {
      fail(ErrorKind::input, "{}: exists; choose another name or remove it first", *file);
    }
    write_file_atomically(*file, starter_problem_file());
    print(fmt::format("wrote {}; edit it, then start with\n  hone run {}\n", *file, *file));
  });
}

}  // namespace hone::cli
