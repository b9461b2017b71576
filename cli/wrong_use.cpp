#include "cli/wrong_use.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>

#include "hone/core/error.h"
#include "hone/core/suggestion.h"

namespace hone::cli {
void check_command(const CLI::App& program, int argc, char** argv) {
  const CLI::App* parent = &program;
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
    std::vector<std::string> commands;
    for (const CLI::App* one : parent->get_subcommands({})) commands.push_back(one->get_name());
    if (commands.empty()) return;
    if (std::ranges::find(commands, argv[i]) == commands.end()) {
      fail(ErrorKind::input, "there is no command '{}'; {}", argv[i],
           suggestion(argv[i], commands));
    }
    parent = parent->get_subcommand(argv[i]);
  }
}

void fail_unexpected(const CLI::App& program) {
  const CLI::App* command = &program;
  std::string name = "hone";
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    name += " " + command->get_name();
  }
  std::vector<std::string> words = program.remaining(true);
  const auto option = std::ranges::find_if(words, [](const auto& w) { return w.starts_with("-"); });
  const std::string word = option == words.end() ? words.front() : *option;
  std::vector<std::string> allowed;
  for (const CLI::Option* one : command->get_options()) {
    for (const std::string& flag : one->get_lnames()) allowed.push_back("--" + flag);
  }
  // A command has dozens of options: only the question, not the list of all.
  const auto nearest = nearest_word(word.substr(0, word.find('=')), allowed);
  fail(ErrorKind::input, "{} does not know '{}'; {}see `{} --help`", name, word,
       nearest ? fmt::format("did you mean '{}'? ", *nearest) : "", name);
}

void check_output_directory(const std::string& output) {
  const std::filesystem::path directory = std::filesystem::path(output).parent_path();
  std::error_code code;
  if (directory.empty() || std::filesystem::is_directory(directory, code)) return;
  fail(ErrorKind::input, "-o {}: there is no directory {}; make it, or write somewhere else",
       output, directory.string());
}

Error without_resume(const Error& error) {
  const Advice& advice = error.advice();
  if (advice.action == Action::allow_failures) {
    return error.with_advice(
        {.before = ". Correct the simulator and try again. If so many failures "
                   "are part of the model, allow them: --max-failed-fraction "
                   "0.8" +
                   advice.after});
  }
  if (advice.action != Action::resume) return error;
  return error.with_advice({.before = advice.before + "try again" + advice.after});
}

std::string check_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error == std::errc() && end == text.data() + text.size()) return "";
  return "'" + text + "': must be a whole number from 0 to 18446744073709551615";
}

}  // namespace hone::cli
