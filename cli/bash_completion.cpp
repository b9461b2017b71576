#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion_tree.h"

namespace hone::cli {
namespace {

// The words so far decide which command is meant and whether the one before wants a value.
// Readline cuts --name=value into three words.
constexpr const char* kHead = R"(# bash completion of hone, made by `hone completion bash`
_hone() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command= word words= files=
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command:$word" in
)";
constexpr const char* kMiddle = R"() command=${command:+$command }$word ;;
    esac
  done
  case "$command:$previous" in
)";
constexpr const char* kTail = R"(  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"
    [[ -z $files ]] || compgen -A "$files" -- "$current")
  [[ -z $files ]] || compopt -o filenames 2>/dev/null
  return 0
}
complete -F _hone hone
)";

std::string assignments(const Offer& offer) {
  std::string text;
  if (!offer.words.empty()) text += fmt::format("words=\"{}\" ", fmt::join(offer.words, " "));
  if (offer.files == Offer::Files::any) text += "files=file ";
  if (offer.files == Offer::Files::directories) text += "files=directory ";
  return text;
}

std::string key(const OfferedCommand& command, const std::string& word) {
  return fmt::format("\"{}:{}\"", fmt::join(command.path, " "), word);
}

void collect_names(std::vector<std::string>& patterns, const OfferedCommand& command) {
  for (const OfferedCommand& below : command.commands) {
    patterns.push_back(key(command, below.path.back()));
    collect_names(patterns, below);
  }
}

// After an option that wants a value: only values.
std::string value_cases(const OfferedCommand& command) {
  std::string text;
  for (const OfferedOption& option : command.options) {
    if (!option.takes_value) continue;
    std::vector<std::string> patterns;
    for (const std::string& flag : option.flags) patterns.push_back(key(command, flag));
    text += fmt::format("    {}) {};;\n", fmt::join(patterns, "|"), assignments(option.values));
  }
  for (const OfferedCommand& below : command.commands) text += value_cases(below);
  return text;
}

// Anywhere else: options if a dash was typed, otherwise commands or arguments.
std::string word_cases(const OfferedCommand& command) {
  std::vector<std::string> flags;
  for (const OfferedOption& option : command.options) {
    flags.insert(flags.end(), option.flags.begin(), option.flags.end());
  }
  Offer rest;
  for (const OfferedCommand& below : command.commands) rest.words.push_back(below.path.back());
  for (const OfferedArgument& argument : command.arguments) {
    rest.words.insert(rest.words.end(), argument.values.words.begin(), argument.values.words.end());
    if (rest.files != Offer::Files::any && argument.values.files != Offer::Files::none) {
      rest.files = argument.values.files;
    }
  }
  const std::string place = key(command, "*");
  std::string text = fmt::format(
      "    {}*) if [[ $current == -* ]]; then words=\"{}\"; else {}:; fi ;;\n",
      place.substr(0, place.size() - 2) + "\"", fmt::join(flags, " "),
      rest.words.empty() && rest.files == Offer::Files::none ? "" : assignments(rest) + "; ");
  for (const OfferedCommand& below : command.commands) text += word_cases(below);
  return text;
}

}  // namespace

std::string bash_completion(const OfferedCommand& program) {
  std::vector<std::string> names;
  collect_names(names, program);
  return fmt::format("{}      {}{}{}{}{}", kHead, fmt::join(names, "|"), kMiddle,
                     value_cases(program), word_cases(program), kTail);
}

}  // namespace hone::cli
