#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/text.h"
#include "hone/inference/method.h"

namespace hone::cli {

void add_methods_command(CLI::App& program) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = program.add_subcommand("methods", "Inference methods, and what each does");
  command->add_flag("--json", *json, "Print JSON for scripts");
  command->callback([json] {
    auto facts = nlohmann::ordered_json::array();
    std::string text;
    for (const Method& method : method_table()) {
      facts.push_back({{"name", method.name},
                       {"title", method.title},
                       {"summary", method.summary},
                       {"estimator", method.estimator().name},
                       {"amortized", method.amortized},
                       {"needs_likelihood", method.needs_likelihood},
                       {"option_groups", method.option_groups}});
      text += fmt::format("{}  {}\n  {}.\n  It reads the options under: {}\n\n", method.name,
                          method.title, method.summary, fmt::join(method.option_groups, ", "));
    }
    print(*json ? facts.dump(2) + "\n"
                : text +
                      "Choose one with `hone run PROBLEM --method NAME`; `hone run --help` lists "
                      "the options.\n");
  });
}

}  // namespace hone::cli
