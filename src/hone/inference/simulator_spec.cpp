#include "hone/inference/simulator_spec.h"

#include <array>

#include "hone/core/error.h"
#include "hone/core/suggestion.h"

namespace hone {
namespace {

using Kind = SimulatorKind;
constexpr std::array kKinds = {Kind::command, Kind::run,     Kind::library, Kind::dataset,
                               Kind::task,    Kind::by_hand, Kind::function};

Kind kind_from(const std::string& name) {
  std::vector<std::string> names;
  for (const Kind kind : kKinds) {
    names.push_back(to_string(kind));
    if (names.back() == name) return kind;
  }
  fail(ErrorKind::input, "simulator.kind = '{}': unknown; {}", name.substr(0, 60),
       suggestion(name, names));
}

bool is_program(Kind kind) {
  return kind == Kind::command || kind == Kind::run;
}

bool has_directory(Kind kind) {
  return is_program(kind) || kind == Kind::library || kind == Kind::dataset;
}

}  // namespace

std::string to_string(SimulatorKind kind) {
  switch (kind) {
    case Kind::command: return "command";
    case Kind::run: return "run";
    case Kind::library: return "library";
    case Kind::dataset: return "dataset";
    case Kind::task: return "task";
    case Kind::by_hand: return "by_hand";
    case Kind::function: return "function";
  }
  return "unknown";
}

nlohmann::ordered_json to_json(const SimulatorSpec& spec) {
  nlohmann::ordered_json json{{"kind", to_string(spec.kind)}};
  if (is_program(spec.kind)) json["arguments"] = spec.arguments;
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
  }
  if (spec.kind == Kind::task) json["task"] = spec.task;
  if (spec.kind == Kind::function) json["function"] = spec.function;
  if (has_directory(spec.kind)) json["directory"] = spec.directory;
  if (is_program(spec.kind)) {
    json["workers"] = spec.workers;
    json["timeout"] = spec.timeout;
    json["retries"] = spec.retries;
  }
  return json;
}

SimulatorSpec simulator_spec_from_json(const nlohmann::json& json) {
  SimulatorSpec spec;
  spec.kind = kind_from(json.at("kind").get<std::string>());
  if (is_program(spec.kind)) json.at("arguments").get_to(spec.arguments);
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
    if (spec.dataset.empty()) fail(ErrorKind::input, "simulator.dataset: names no file");
  }
  if (spec.kind == Kind::task) json.at("task").get_to(spec.task);
  if (spec.kind == Kind::function) json.at("function").get_to(spec.function);
  if (has_directory(spec.kind)) json.at("directory").get_to(spec.directory);
  if (is_program(spec.kind)) {
    json.at("workers").get_to(spec.workers);
    json.at("timeout").get_to(spec.timeout);
    json.at("retries").get_to(spec.retries);
  }
  return spec;
}

void SimulatorSpec::check_budget(Index budget) const {
  if (dataset.empty()) return;
  if (kind == Kind::dataset && budget > dataset_rows) {
    fail(ErrorKind::input, "budget = {}: the data set has {} simulations", budget, dataset_rows);
  }
  if (kind != Kind::dataset && budget <= dataset_rows) {
    fail(ErrorKind::input,
         "budget = {}: it counts the {} simulations of the data set; give more than that, or leave "
         "{} out to use the data set alone",
         budget, dataset_rows, to_string(kind));
  }
}

}  // namespace hone
