#include "hone/report/reproduce.h"

#include <algorithm>

#include "hone/core/version.h"
#include "hone/inference/option_table.h"
#include "hone/problem/problem.h"
#include "hone/tasks/task.h"

namespace hone {
namespace {

// The built-in problem of a run; nullptr for another simulator, or if this version has no such
// task.
const Task* task_of(const RunSpec& spec) {
  if (spec.simulator.kind != SimulatorKind::task) return nullptr;
  const auto found = std::ranges::find(all_tasks(), spec.simulator.task, &Task::name);
  return found == all_tasks().end() ? nullptr : &*found;
}

// " --budget 2000" and the like: what differs from the preset.
std::string flags(const InferenceOptions& options, const InferenceOptions& standard) {
  std::string text;
  for (const OptionEntry& entry : option_table()) {
    const nlohmann::json value = entry.get(options);
    if (value == entry.get(standard)) continue;
    std::string name = entry.name;
    std::ranges::replace(name, '_', '-');
    const std::string word = value.is_string() ? value.get<std::string>() : value.dump();
    text += fmt::format(" \\\n    --{} {}", name, word);
  }
  return text;
}

std::string marginal_flags(const RunSpec& spec) {
  if (spec.marginals == marginals_from_words({}, spec.prior)) return "";
  std::string text;
  for (const Marginal& marginal : spec.marginals) {
    text +=
        fmt::format(" \\\n    --marginal {}", marginal_name(marginal, spec.prior.quantity_names()));
  }
  return text;
}

std::string derived_flags(const RunSpec& spec) {
  std::string text;
  for (const DerivedQuantity& one : spec.prior.derived()) {
    text += fmt::format(" \\\n    --derived '{} = {}'", one.name, one.value);
  }
  return text;
}

}  // namespace

namespace {

std::string command_of(const RunSpec& spec) {
  const Task* task = spec.noise.kind == NoiseKind::none ? task_of(spec) : nullptr;
  std::string text = fmt::format("# hone {}\nhone run {} --seed {}", version(),
                                 task != nullptr ? task->name : "problem.toml", spec.seed);
  InferenceOptions standard = preset("default");
  if (task == nullptr) {
    return text + derived_flags(spec) + flags(spec.options, standard) + marginal_flags(spec) +
           "\n# with the simulator, priors and observation of run.json in problem.toml";
  }
  standard.budget = task->budget;
  if (spec.observation != task->observation) text += " \\\n    --observation observation.txt";
  return text + derived_flags(spec) + flags(spec.options, standard) + marginal_flags(spec);
}

}  // namespace

std::string reproduce_text(const RunDirectory& run) {
  std::string text = command_of(run.state(0).spec());
  for (const Extension& extension : run.extensions()) {
    text += fmt::format("\nhone resume RUN --budget {}", extension.budget);
  }
  return text;
}

TruthValues known_truth(const RunSpec& spec) {
  const Task* task = task_of(spec);
  TruthValues truth;
  if (task == nullptr || task->observation != spec.observation ||
      !(task->prior.with_derived(spec.prior.derived()) == spec.prior) ||
      task->truth.size() != spec.prior.parameters().size()) {
    return truth;
  }
  Matrix<double> theta(1, spec.prior.dimensions());
  for (std::size_t d = 0; d < task->truth.size(); ++d) {
    truth[spec.prior.parameters()[d].name] = task->truth[d];
    theta(0, static_cast<Index>(d)) = task->truth[d];
  }
  for (std::size_t k = 0; k < spec.prior.derived().size(); ++k) {
    truth[spec.prior.derived()[k].name] = spec.prior.formula(k)(theta)[0];
  }
  return truth;
}

}  // namespace hone
