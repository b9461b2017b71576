// The [simulator] section.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include <fmt/ranges.h>
#include <unistd.h>

#include "hone/core/error.h"
#include "hone/problem/problem_sections.h"
#include "hone/simulator/one_shot.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Kind = SimulatorKind;

struct KindKeys {
  Kind kind;
  std::vector<std::string> keys;  // besides the kind's own and those that every kind has
};

const std::vector<KindKeys>& kind_keys() {
  static const std::vector<KindKeys> table = {
      {Kind::command, {"workers", "timeout", "retries", "directory"}},
      {Kind::run, {"parameters", "result", "workers", "timeout", "retries", "directory"}},
      {Kind::library, {}},
      {Kind::dataset, {"theta", "x"}},
      {Kind::task, {}},
      {Kind::by_hand, {}},
  };
  return table;
}

const KindKeys& keys_of(Kind kind) {
  return *std::ranges::find(kind_keys(), kind, &KindKeys::kind);
}

// The one kind whose key is there. A data set may stand beside any other, as its first round.
KindKeys chosen_kind(const TomlTable& section) {
  std::vector<std::string> names, given, every{"max_failed_fraction"};
  const KindKeys* chosen = nullptr;
  for (const KindKeys& one : kind_keys()) {
    names.push_back(to_string(one.kind));
    every.insert(every.end(), one.keys.begin(), one.keys.end());
    if (!section.has(names.back())) continue;
    if (one.kind == Kind::dataset) continue;
    given.push_back(names.back());
    chosen = &one;
  }
  const bool has_dataset = section.has(to_string(Kind::dataset));
  if (given.empty() && has_dataset) return keys_of(Kind::dataset);
  if (given.size() == 1) {
    KindKeys result = *chosen;
    if (has_dataset) {
      const KindKeys& more = keys_of(Kind::dataset);
      result.keys.insert(result.keys.end(), more.keys.begin(), more.keys.end());
      result.keys.push_back(to_string(Kind::dataset));
    }
    return result;
  }
  if (given.size() > 1) {
    section.refuse_with(given[1], fmt::format("simulator: {} are given together; keep one of them",
                                              fmt::join(given, " and ")));
  }
  every.insert(every.end(), names.begin(), names.end());
  section.allow_only(every);  // a misspelt one is the better message
  section.refuse_with(
      "", fmt::format("simulator: it does not say where simulations come from; give one of {}",
                      fmt::join(names, ", ")));
}

bool is_executable_file(const fs::path& path) {
  std::error_code code;
  return fs::is_regular_file(path, code) && ::access(path.c_str(), X_OK) == 0;
}

bool is_on_path(const std::string& program) {
  const char* folders = std::getenv("PATH");
  std::istringstream list(folders == nullptr ? "" : folders);
  for (std::string folder; std::getline(list, folder, ':');) {
    if (is_executable_file(fs::path(folder.empty() ? "." : folder) / program)) return true;
  }
  return false;
}

void check_program(const TomlTable& section, const std::string& key, const SimulatorSpec& spec) {
  if (spec.arguments.empty() || spec.arguments[0].empty()) {
    section.refuse(key, "must name a program, such as [\"python3\", \"simulate.py\"]");
  }
  const std::string& program = spec.arguments[0];
  if (program.find('/') == std::string::npos) {
    if (is_on_path(program)) return;
    section.refuse(key, fmt::format("there is no program '{}' on the PATH; write ./{} if it stands "
                                    "beside this file",
                                    program, program));
  }
  const fs::path place = fs::path(spec.directory) / program;
  if (!is_executable_file(place)) {
    section.refuse(key, fmt::format("{} is not an executable file", place.string()));
  }
}

std::string required_file(const TomlTable& section, const std::string& key,
                          const std::string& value, const std::string& folder) {
  const fs::path place = fs::path(folder) / value;
  std::error_code code;
  if (!fs::is_regular_file(place, code)) {
    section.refuse(key, fmt::format("there is no file {}", place.string()));
  }
  return value;
}

int bounded(const TomlTable& section, const std::string& key, int fallback, int most) {
  const auto value = section.integer(key);
  if (!value) return fallback;
  if (*value < 0 || *value > most) section.refuse(key, fmt::format("must lie in 0 .. {}", most));
  return static_cast<int>(*value);
}

void read_program(SimulatorSpec& spec, const TomlTable& section) {
  const std::string key = to_string(spec.kind);
  if (const auto directory = section.text("directory")) {
    const fs::path place = fs::path(spec.directory) / *directory;
    std::error_code code;
    if (!fs::is_directory(place, code)) {
      section.refuse("directory", fmt::format("there is no directory {}", place.string()));
    }
    spec.directory = place.lexically_normal().string();
  }
  spec.arguments = section.texts(key).value();
  check_program(section, key, spec);
  if (spec.kind == Kind::command && is_one_shot(spec.arguments)) {
    section.refuse(key,
                   "a placeholder belongs to a program that is started for every simulation: write "
                   "run instead of command, or {{ for a plain brace");
  }
  spec.workers = bounded(section, "workers", spec.workers, 4096);
  spec.retries = bounded(section, "retries", spec.retries, 100);
  if (const auto timeout = section.number("timeout")) {
    if (!(*timeout > 0) || !std::isfinite(*timeout)) {
      section.refuse("timeout", "must be a positive number of seconds");
    }
    spec.timeout = *timeout;
  }
}

// A file in the directory of one simulation.
std::string read_file_name(const TomlTable& section, const std::string& key,
                           const std::vector<std::string>& endings) {
  const auto name = section.text(key);
  if (!name) return "";
  if (name->find('/') != std::string::npos) {
    section.refuse(key, "must be a file name without directories: every simulation has its own");
  }
  if (std::ranges::find(endings, fs::path(*name).extension().string()) == endings.end()) {
    section.refuse(key, fmt::format("must end in {}", fmt::join(endings, " or ")));
  }
  return *name;
}

void read_dataset(SimulatorSpec& spec, const TomlTable& section, const fs::path& folder) {
  const bool one = section.at("dataset").is_string();
  spec.dataset = one ? std::vector{*section.text("dataset")} : section.texts("dataset").value();
  if (spec.dataset.empty() || spec.dataset.size() > 2) {
    section.refuse("dataset", "must be one file, or two: [\"theta.csv\", \"x.csv\"]");
  }
  for (std::string& file : spec.dataset) {
    required_file(section, "dataset", file, folder.string());
    // Programs may start elsewhere.
    file = (folder / file).lexically_normal().string();
  }
  spec.theta = section.text("theta").value_or(spec.theta);
  spec.x = section.text("x").value_or(spec.x);
}

}  // namespace

SimulatorSpec read_simulator_section(const TomlTable& root, const fs::path& folder) {
  const TomlTable section = root.table("simulator");
  KindKeys chosen = chosen_kind(section);
  chosen.keys.push_back(to_string(chosen.kind));
  chosen.keys.emplace_back("max_failed_fraction");
  section.allow_only(chosen.keys);

  SimulatorSpec spec;
  spec.kind = chosen.kind;
  spec.directory = folder.string();
  if (spec.kind == Kind::command || spec.kind == Kind::run) read_program(spec, section);
  if (spec.kind == Kind::run) {
    spec.parameters = read_file_name(section, "parameters", {".txt", ".json"});
    spec.result = read_file_name(section, "result", {".npy", ".csv", ".txt"});
  }
  if (spec.kind == Kind::library) {
    spec.library = required_file(section, "library", *section.text("library"), spec.directory);
  }
  if (section.has("dataset")) read_dataset(spec, section, folder);
  if (spec.kind == Kind::task) spec.task = *section.text("task");
  if (spec.kind == Kind::by_hand && !section.truth("by_hand").value()) {
    section.refuse("by_hand", "must be true, or left out");
  }
  return spec;
}

}  // namespace hone
