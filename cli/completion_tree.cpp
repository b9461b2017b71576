#include "cli/completion_tree.h"

#include <algorithm>
#include <regex>

#include "hone/inference/method.h"
#include "hone/inference/option_table.h"
#include "hone/tasks/task.h"

namespace hone::cli {
namespace {

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const Task& task : all_tasks()) names.push_back(task.name);
  return names;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method& method : method_table()) names.push_back(method.name);
  return names;
}

// "adam, adamw" -> both; nothing for text such as "> 0".
std::vector<std::string> listed_words(const std::string& text) {
  static const std::regex list("[a-z0-9_]+(, ?[a-z0-9_]+)+"), word("[a-z0-9_]+");
  if (!std::regex_match(text, list)) return {};
  return {std::sregex_token_iterator(text.begin(), text.end(), word), std::sregex_token_iterator()};
}

// "TEXT:{pdf,png}" of an option that allows only these.
std::vector<std::string> members(const std::string& type) {
  const std::size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  const std::string inside = type.substr(open + 1, close - open - 1);
  return inside.find(',') == std::string::npos ? std::vector{inside} : listed_words(inside);
}

Offer offer_of(const std::string& name, const CLI::Option& option) {
  if (name == "problem") return {task_names(), Offer::Files::any};
  if (name == "tasks") return {task_names(), Offer::Files::none};
  if (name == "method" || name == "methods") return {method_names(), Offer::Files::none};
  if (name == "preset") return {preset_names(), Offer::Files::none};
  if (name == "directory" || name == "directories") return {{}, Offer::Files::directories};
  const std::string type = option.get_type_name();
  if (const auto words = members(type); !words.empty()) return {words, Offer::Files::none};
  std::string row = name;
  std::ranges::replace(row, '-', '_');
  const auto& table = option_table();
  const auto entry = std::ranges::find(table, row, &OptionEntry::name);
  if (entry != table.end()) return {listed_words(entry->values), Offer::Files::none};
  return {{}, type.starts_with("TEXT") ? Offer::Files::any : Offer::Files::none};
}

// The first clause: a shell shows one line.
std::string few_words(const std::string& help) {
  std::size_t end = help.size();
  for (const char* stop : {"; ", ". ", " (", " [", ": "}) end = std::min(end, help.find(stop));
  return help.substr(0, end);
}

OfferedCommand command_of(const CLI::App& app, const std::vector<std::string>& path) {
  OfferedCommand command;
  command.path = path;
  command.help = few_words(app.get_description());
  for (const CLI::Option* option : app.get_options()) {
    const bool repeats = option->get_items_expected_max() > 1;
    if (option->get_positional()) {
      const std::string name = option->get_single_name();
      command.arguments.push_back({name, repeats, offer_of(name, *option)});
      continue;
    }
    OfferedOption offered;
    offered.help = few_words(option->get_description());
    offered.takes_value = option->get_items_expected_min() > 0;
    offered.repeats = repeats;
    for (const std::string& name : option->get_snames()) offered.flags.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) offered.flags.push_back("--" + name);
    if (offered.takes_value) offered.values = offer_of(option->get_single_name(), *option);
    command.options.push_back(offered);
  }
  for (const CLI::App* below : app.get_subcommands({})) {
    std::vector<std::string> longer = path;
    longer.push_back(below->get_name());
    command.commands.push_back(command_of(*below, longer));
  }
  return command;
}

}  // namespace

OfferedCommand completion_tree(const CLI::App& program) {
  return command_of(program, {});
}

}  // namespace hone::cli
