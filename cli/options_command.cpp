#include <memory>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/text.h"
#include "hone/inference/options.h"

namespace hone::cli {
namespace {

// docs/reference/options.md
std::string markdown() {
  const InferenceOptions standard = preset("default"), paper = preset("paper");
  std::string text =
      "# Options of an inference\n\nMade by `hone options --markdown`; every option is a flag of "
      "`hone run` (`--round-fraction` for `round_fraction`).\n";
  std::string group;
  for (const OptionEntry& entry : option_table()) {
    if (entry.group != group) {
      group = entry.group;
      text += fmt::format(
          "\n## {}\n\n| option | meaning | allowed | default | paper |\n"
          "|---|---|---|---|---|\n",
          group);
    }
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", entry.name, entry.help, entry.values,
                        entry.get(standard).dump(), entry.get(paper).dump());
  }
  return text;
}

}  // namespace

void add_options_command(CLI::App& program) {
  auto as_markdown = std::make_shared<bool>(false);
  CLI::App* command =
      program.add_subcommand("options", "Every option of an inference, with both presets");
  command->add_flag("--markdown", *as_markdown, "Print the reference page");
  command->callback([as_markdown] {
    if (*as_markdown) return print(markdown());
    const InferenceOptions standard = preset("default"), paper = preset("paper");
    std::vector<std::vector<std::string>> rows{{"option", "default", "paper", "allowed"}};
    for (const OptionEntry& entry : option_table()) {
      rows.push_back(
          {entry.name, entry.get(standard).dump(), entry.get(paper).dump(), entry.values});
    }
    print(table(rows));
  });
}

}  // namespace hone::cli
