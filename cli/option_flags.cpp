#include "cli/option_flags.h"

#include <algorithm>

#include <fmt/format.h>

#include "hone/inference/option_table.h"

namespace hone::cli {
namespace {

std::string flag_of(const std::string& option) {
  std::string flag = "--" + option;
  std::ranges::replace(flag, '_', '-');
  return flag;
}

}  // namespace

void add_option_flags(CLI::App& command, OptionTexts& texts, const std::set<std::string>& without) {
  const InferenceOptions defaults = preset("default");
  for (const OptionEntry& entry : option_table()) {
    if (without.contains(entry.name)) continue;
    const std::string standard =
        entry.name == "budget" ? "the problem's own" : entry.get(defaults).dump();
    command
        .add_option_function<std::string>(
            flag_of(entry.name),
            [&texts, name = entry.name](const std::string& text) { texts[name] = text; },
            fmt::format("{} ({}) [{}]", entry.help, entry.values, standard))
        ->group(entry.group);
  }
}

void apply(InferenceOptions& options, const OptionTexts& texts) {
  for (const auto& [name, text] : texts) set_option(options, name, text);
}

Error with_flags(const Error& error, const OptionTexts& texts) {
  return texts.contains(error.place()) ? error.moved_to(flag_of(error.place())) : error;
}

}  // namespace hone::cli
