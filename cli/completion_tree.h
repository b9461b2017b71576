#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

// What a shell can offer at each place of a command line, read off the commands themselves and the
// tables of tasks, methods, presets and options.

namespace hone::cli {

struct Offer {
  enum class Files { none, any, directories };
  std::vector<std::string> words;
  Files files = Files::none;
};

struct OfferedOption {
  std::vector<std::string> flags;  // "-o", "--output"
  std::string help;                // a few words
  bool takes_value = false;
  bool repeats = false;
  Offer values;
};

struct OfferedArgument {
  std::string name;
  bool repeats = false;
  Offer values;
};

struct OfferedCommand {
  std::vector<std::string> path;  // {"bench", "sbibm"}; empty for the program
  std::string help;
  std::vector<OfferedOption> options;
  std::vector<OfferedArgument> arguments;
  std::vector<OfferedCommand> commands;
};

OfferedCommand completion_tree(const CLI::App& program);

// Scripts for the shells, as `hone completion` prints them.
std::string bash_completion(const OfferedCommand& program);
std::string zsh_completion(const OfferedCommand& program);

}  // namespace hone::cli
