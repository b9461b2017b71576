#include "hone/problem/simulator_spec.h"

#include <array>

#include "hone/core/error.h"
#include "hone/core/suggestion.h"

namespace hone {
namespace {

using Kind = SimulatorKind;
constexpr std::array<SimulatorFacts, 7> kKinds = {{
    // kind, name, in words, simulates, opens by itself, is a program, has a directory,
    // brings noise
    {Kind::command, "command", "a program that answers JSON lines", true, true, true, true, false},
    {Kind::run, "run", "a program started for every simulation", true, true, true, true, false},
    {Kind::library, "library", "a shared library", true, true, false, true, true},
    {Kind::dataset, "dataset", "a data set", false, true, false, true, false},
    {Kind::task, "task", "a built-in task", true, true, false, false, true},
    {Kind::by_hand, "by_hand", "elsewhere (by_hand)", false, true, false, false, false},
    {Kind::function, "function", "a function of another program", true, false, false, false, true},
}};

Kind kind_from(const std::string& name) {
  std::vector<std::string> names;
  for (const SimulatorFacts& facts : kKinds) {
    if (facts.name == name) return facts.kind;
    names.emplace_back(facts.name);
  }
  fail(ErrorKind::input, "simulator.kind = '{}': unknown; {}", name.substr(0, 60),
       suggestion(name, names));
}

}  // namespace

const SimulatorFacts& facts_of(SimulatorKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

std::string to_string(SimulatorKind kind) {
  return facts_of(kind).name;
}

SimulatorSpec task_simulator(std::string task) {
  SimulatorSpec spec;
  spec.kind = Kind::task;
  spec.task = std::move(task);
  return spec;
}

nlohmann::ordered_json to_json(const SimulatorSpec& spec) {
  nlohmann::ordered_json json{{"kind", to_string(spec.kind)}};
  if (facts_of(spec.kind).is_program) json["arguments"] = spec.arguments;
  if (spec.kind == Kind::run) {
    json["parameters"] = spec.parameters;
    json["result"] = spec.result;
  }
  if (spec.kind == Kind::library) json["library"] = spec.library;
  if (!spec.dataset.empty()) {
    json["dataset"] = spec.dataset;
    json["theta"] = spec.theta;
    json["x"] = spec.x;
    json["dataset_rows"] = spec.dataset_rows;
    if (!spec.dataset_checksum.empty()) json["dataset_checksum"] = spec.dataset_checksum;
  }
  if (spec.kind == Kind::task) json["task"] = spec.task;
  if (spec.kind == Kind::function) json["function"] = spec.function;
  if (facts_of(spec.kind).has_directory) json["directory"] = spec.directory;
  if (facts_of(spec.kind).is_program) {
    json["workers"] = spec.workers;
    json["timeout"] = spec.timeout;
    json["retries"] = spec.retries;
  }
  return json;
}

SimulatorSpec simulator_spec_from_json(const nlohmann::json& json) {
  SimulatorSpec spec;
  spec.kind = kind_from(json.at("kind").get<std::string>());
  if (facts_of(spec.kind).is_program) json.at("arguments").get_to(spec.arguments);
  if (spec.kind == Kind::run) {
    spec.parameters = json.value("parameters", "");
    json.at("result").get_to(spec.result);
  }
  if (spec.kind == Kind::library) json.at("library").get_to(spec.library);
  if (spec.kind == Kind::dataset || json.contains("dataset")) {
    json.at("dataset").get_to(spec.dataset);
    json.at("theta").get_to(spec.theta);
    json.at("x").get_to(spec.x);
    json.at("dataset_rows").get_to(spec.dataset_rows);
    spec.dataset_checksum = json.value("dataset_checksum", "");
    if (spec.dataset.empty()) fail(ErrorKind::input, "simulator.dataset: names no file");
  }
  if (spec.kind == Kind::task) json.at("task").get_to(spec.task);
  // Runs of C++ programs were written as the task "" once.
  if (spec.kind == Kind::task && spec.task.empty()) spec.kind = Kind::function;
  if (spec.kind == Kind::function) spec.function = json.value("function", "");
  if (facts_of(spec.kind).has_directory) json.at("directory").get_to(spec.directory);
  if (facts_of(spec.kind).is_program) {
    json.at("workers").get_to(spec.workers);
    json.at("timeout").get_to(spec.timeout);
    json.at("retries").get_to(spec.retries);
  }
  return spec;
}

void SimulatorSpec::check_budget(Index budget) const {
  if (dataset.empty()) return;
  if (kind == Kind::dataset && budget > dataset_rows) {
    fail_value("budget", budget, fmt::format("the data set has {} simulations", dataset_rows));
  }
  if (kind != Kind::dataset && budget <= dataset_rows) {
    fail_value("budget", budget,
               fmt::format("it counts the {} simulations of the data set; give more than that, or "
                           "leave {} out to use the data set alone",
                           dataset_rows, to_string(kind)));
  }
}

}  // namespace hone
