#include "hone/tasks/task.h"

#include "hone/core/error.h"
#include "hone/core/suggestion.h"
#include "hone/tasks/builtin.h"

namespace hone {

const std::vector<Task>& all_tasks() {
  static const std::vector<Task> tasks = {
      torus_task(),
      eggbox_task(),
      rotated_eggbox_task(),
      two_moons_task(),
      gaussian_linear_task(),
      gaussian_linear_uniform_task(),
      gaussian_mixture_task(),
      slcp_task(),
      slcp_distractors_task(),
      sir_task(),
      lotka_volterra_task(),
      bernoulli_glm_task(),
      cmb_task(),
  };
  return tasks;
}

const Task& find_task(std::string_view name) {
  std::vector<std::string> names;
  for (const Task& task : all_tasks()) {
    if (task.name == name) return task;
    names.push_back(task.name);
  }
  fail(ErrorKind::input, "no task is called '{}'; {}", name.substr(0, 60), suggestion(name, names));
}

}  // namespace hone
