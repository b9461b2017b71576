#include "cli/wrong_use.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>

#include "hone/core/error.h"
#include "hone/core/suggestion.h"

namespace hone::cli {
namespace {

// A command has dozens of options: only the question, not the list of all.
std::string question(const std::string& word, const std::vector<std::string>& allowed) {
  const std::string text = suggestion(word, allowed);
  const std::size_t end = text.find('?');
  return text.starts_with("did you mean") && end != std::string::npos
             ? text.substr(0, end + 1) + " "
             : "";
}

}  // namespace

void check_command(const CLI::App& program, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> commands;
  for (const CLI::App* one : program.get_subcommands({})) commands.push_back(one->get_name());
  if (std::ranges::find(commands, argv[1]) != commands.end()) return;
  fail(ErrorKind::input, "there is no command '{}'; {}", argv[1], suggestion(argv[1], commands));
}

void fail_unexpected(const CLI::App& program) {
  const CLI::App& command = *program.get_subcommands().front();
  std::vector<std::string> words = command.remaining();
  const auto option = std::ranges::find_if(words, [](const auto& w) { return w.starts_with("-"); });
  const std::string word = option == words.end() ? words.front() : *option;
  std::vector<std::string> allowed;
  for (const CLI::Option* one : command.get_options()) {
    for (const std::string& name : one->get_lnames()) allowed.push_back("--" + name);
  }
  fail(ErrorKind::input, "hone {} does not know '{}'; {}see `hone {} --help`", command.get_name(),
       word, question(word.substr(0, word.find('=')), allowed), command.get_name());
}

void check_output_directory(const std::string& output) {
  const std::filesystem::path directory = std::filesystem::path(output).parent_path();
  std::error_code code;
  if (directory.empty() || std::filesystem::is_directory(directory, code)) return;
  fail(ErrorKind::input, "-o {}: there is no directory {}; make it, or write somewhere else",
       output, directory.string());
}

std::string check_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error == std::errc() && end == text.data() + text.size()) return "";
  return "'" + text + "': must be a whole number from 0 to 18446744073709551615";
}

}  // namespace hone::cli
