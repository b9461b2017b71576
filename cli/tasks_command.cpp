#include <memory>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/text.h"
#include "hone/tasks/task.h"

namespace hone::cli {

void add_tasks_command(CLI::App& program) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = program.add_subcommand("tasks", "List the built-in problems");
  command->add_flag("--json", *json, "Print JSON for scripts");
  command->callback([json] {
    auto facts = nlohmann::ordered_json::array();
    std::vector<std::vector<std::string>> rows{{"task", "parameters", "data", "budget"}};
    std::string descriptions;
    for (const Task& task : all_tasks()) {
      facts.push_back({{"name", task.name},
                       {"description", task.description},
                       {"parameters", task.prior.names()},
                       {"data_size", task.observation.size()},
                       {"budget", task.budget}});
      rows.push_back({task.name, std::to_string(task.prior.dimensions()),
                      std::to_string(task.observation.size()), std::to_string(task.budget)});
      descriptions += fmt::format("  {}: {}\n", task.name, task.description);
    }
    print(*json ? facts.dump(2) + "\n" : table(rows) + "\n" + descriptions);
  });
}

}  // namespace hone::cli
