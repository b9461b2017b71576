#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion_tree.h"

namespace hone::cli {
namespace {

std::string with_backslashes(const std::string& text, const std::string& special) {
  std::string safe;
  for (const char c : text) {
    if (special.find(c) != std::string::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

std::string quoted(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + safe + "'";
}

std::string function_of(const OfferedCommand& command) {
  std::string name = "_hone";
  for (const std::string& word : command.path) name += "_" + word;
  return name;
}

// What _arguments calls an action.
std::string action(const Offer& offer) {
  const std::string words = fmt::format("({})", fmt::join(offer.words, " "));
  const char* files = offer.files == Offer::Files::directories ? "_files -/" : "_files";
  if (offer.files == Offer::Files::none) return offer.words.empty() ? " " : words;
  if (offer.words.empty()) return files;
  // The space in front keeps _arguments from adding options of its own to the call.
  return fmt::format(" _alternative \"names:name:{}\" \"files:file:{}\"", words, files);
}

// An option with two names is two lines, of which one rules out the other.
std::string option_lines(const OfferedOption& option) {
  std::string text;
  const std::string help = with_backslashes(option.help, "[]\\");
  for (const std::string& flag : option.flags) {
    const std::string others =
        option.repeats ? "*" : fmt::format("({})", fmt::join(option.flags, " "));
    const std::string value = option.takes_value
                                  ? ":" + with_backslashes(option.flags.back().substr(2), ":") +
                                        ":" + action(option.values)
                                  : "";
    text += " \\\n    " + quoted(fmt::format("{}{}[{}]{}", others, flag, help, value));
  }
  return text;
}

std::string arguments_of(const OfferedCommand& command) {
  std::string text;
  for (const OfferedOption& option : command.options) text += option_lines(option);
  for (const OfferedArgument& argument : command.arguments) {
    text += " \\\n    " + quoted(fmt::format("{}:{}:{}", argument.repeats ? "*" : "", argument.name,
                                             action(argument.values)));
  }
  return text;
}

std::string function_text(const OfferedCommand& command) {
  if (command.commands.empty()) {
    return fmt::format("{}() {{\n  _arguments -s{}\n}}\n", function_of(command),
                       arguments_of(command));
  }
  std::string text, list, calls;
  for (const OfferedCommand& below : command.commands) {
    text += function_text(below);
    list += "\n        " + quoted(below.path.back() + ":" + below.help);
    calls += fmt::format("        {}) {} ;;\n", below.path.back(), function_of(below));
  }
  return text + fmt::format(R"({}() {{
  local curcontext=$curcontext state line
  local -A opt_args
  _arguments -s -C{} \
    '1:command:->command' '*::argument:->argument'
  case $state in
    command)
      local -a commands=({})
      _describe command commands ;;
    argument)
      case $line[1] in
{}      esac ;;
  esac
}}
)",
                            function_of(command), arguments_of(command), list, calls);
}

}  // namespace

std::string zsh_completion(const OfferedCommand& program) {
  return "#compdef hone\n# zsh completion of hone, made by `hone completion zsh`\n" +
         function_text(program) +
         "# Called by the shell as a file on its fpath; otherwise read by `source`.\n"
         "if [[ $funcstack[1] == _hone ]]; then _hone \"$@\"; else compdef _hone hone; fi\n";
}

}  // namespace hone::cli
