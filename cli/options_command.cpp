#include <memory>

#include "cli/commands.h"
#include "cli/text.h"
#include "hone/inference/option_table.h"

namespace hone::cli {

void add_options_command(CLI::App& program) {
  auto as_markdown = std::make_shared<bool>(false);
  CLI::App* command = program.add_subcommand("options",
                                             "List every option of an inference, with its value in "
                                             "the default preset and in that of the paper");
  command->add_flag("--markdown", *as_markdown, "Print the page docs/reference/options.md");
  command->callback([as_markdown] {
    if (*as_markdown) return print(option_reference());
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
