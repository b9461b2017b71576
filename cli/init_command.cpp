#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/text.h"
#include "cli/wrong_use.h"
#include "hone/core/error.h"
#include "hone/files/output_file.h"
#include "hone/problem/problem_file.h"
#include "hone/problem/starter_simulator.h"

namespace hone::cli {
namespace {

struct InitArguments {
  std::string file = "problem.toml";
  std::string language;  // empty: no simulator
};

void refuse_existing(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return;
  fail(ErrorKind::input, "{}: exists; choose another name or remove it first", file.string());
}

void init_with_simulator(const std::string& file, const StarterSimulator& simulator) {
  const std::filesystem::path directory = std::filesystem::path(file).parent_path();
  const std::filesystem::path source = directory / simulator.file;
  refuse_existing(source);
  std::string problem = starter_problem_file(simulator);
  const std::string name = std::filesystem::path(file).filename().string();
  for (std::size_t at = 0; (at = problem.find("FILE", at)) != std::string::npos;) {
    problem.replace(at, 4, name);
    at += name.size();
  }
  write_output_file(source, simulator.text);
  write_output_file(file, problem);
  const std::string build = simulator.build.empty() ? "" : fmt::format("  {}\n", simulator.build);
  print(fmt::format("wrote {} and {}; they run as they are:\n{}  hone run {}\n", file,
                    source.string(), build, file));
}

void init(const InitArguments& arguments) {
  const std::string& file = arguments.file;
  refuse_existing(file);
  if (!arguments.language.empty()) {
    return init_with_simulator(file, find_starter_simulator(arguments.language));
  }
  write_output_file(file, starter_problem_file());
  print(fmt::format("wrote {}; edit it, then start with\n  hone run {}\n", file, file));
}

}  // namespace

void add_init_command(CLI::App& program) {
  auto arguments = std::make_shared<InitArguments>();
  CLI::App* command =
      program.add_subcommand("init", "Write a commented problem file to start from");
  command->add_option("file", arguments->file, "File to write; must not exist yet")
      ->capture_default_str();
  std::vector<std::string> languages;
  for (const StarterSimulator& one : starter_simulators()) languages.push_back(one.language);
  command->add_option(
      "--language", arguments->language,
      fmt::format("Write a small simulator beside it, and a problem that runs as it "
                  "is: {}",
                  fmt::join(languages, ", ")));
  command->callback([arguments] {
    try {
      init(*arguments);
    } catch (const Error& error) {
      throw without_resume(error);
    }
  });
}

}  // namespace hone::cli
