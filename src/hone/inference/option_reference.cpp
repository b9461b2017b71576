#include <fmt/format.h>

#include "hone/inference/options.h"

namespace hone {

std::string option_reference() {
  const InferenceOptions standard = preset("default"), paper = preset("paper");
  std::string text =
      "# Options of an inference\n\n"
      "Made by `hone options --markdown`. Every option is a flag of `hone run`, with `-` for `_`:\n"
      "`--round-fraction 0.2` sets `round_fraction`. `--preset` chooses the column to start from.\n"
      "Built-in problems bring a `budget` of their own (`hone tasks`).\n";
  std::string group;
  for (const OptionEntry& entry : option_table()) {
    if (entry.group != group) {
      group = entry.group;
      text += fmt::format(
          "\n## {}\n\n| option | meaning | allowed | default | paper |\n|---|---|---|---|---|\n",
          group);
    }
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", entry.name, entry.help, entry.values,
                        entry.get(standard).dump(), entry.get(paper).dump());
  }
  return text;
}

}  // namespace hone
