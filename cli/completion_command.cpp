#include <memory>

#include "cli/commands.h"
#include "cli/completion_tree.h"
#include "cli/text.h"

namespace hone::cli {

void add_completion_command(CLI::App& program) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand(
      "completion", "Print a script that completes commands, options and their values in a shell");
  command
      ->add_option("shell", *shell,
                   "bash or zsh; `source <(hone completion bash)` in ~/.bashrc switches it on")
      ->check(CLI::IsMember({"bash", "zsh"}))
      ->required();
  command->callback([shell, &program] {
    const OfferedCommand tree = completion_tree(program);
    print(*shell == "bash" ? bash_completion(tree) : zsh_completion(tree));
  });
}

}  // namespace hone::cli
