#include "hone/bench/case.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "hone/core/error.h"
#include "hone/inference/method.h"
#include "hone/inference/option_table.h"

namespace hone {
namespace {

// Names and numbers are written bare, so that a case reads as on the command line.
std::string bare(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// FNV-1a: the same on every machine, for the names of directories.
std::uint32_t hash_of(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

bool depends_on_method(const OptionEntry& entry, const std::string& preset_name) {
  const nlohmann::json own = entry.get(preset(preset_name));
  return std::ranges::any_of(method_names(), [&](const std::string& method) {
    return entry.get(preset(preset_name, method)) != own;
  });
}

}  // namespace

InferenceOptions inference_options(const BenchCase& run) {
  InferenceOptions options = preset(run.preset, run.method);
  std::istringstream words(run.options);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      fail(ErrorKind::input, "options '{}': '{}' must be name=value", run.options, word);
    }
    set_option(options, word.substr(0, equals), word.substr(equals + 1));
  }
  set_option(options, "method", run.method);
  options.budget = run.budget;
  validate(options);
  return options;
}

std::string option_changes(const InferenceOptions& options, const std::string& preset_name,
                           const std::set<std::string>& given) {
  const InferenceOptions start = preset(preset_name);
  std::string text;
  for (const OptionEntry& entry : option_table()) {
    if (entry.name == "method" || entry.name == "budget") continue;
    const bool kept = given.contains(entry.name) && depends_on_method(entry, preset_name);
    if (entry.get(options) == entry.get(start) && !kept) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", entry.name, bare(entry.get(options)));
  }
  return text;
}

std::vector<BenchCase> cases_of(const BenchPlan& plan) {
  std::vector<BenchCase> cases;
  for (const Index budget : plan.budgets) {
    for (const std::string& task : plan.tasks) {
      for (const int observation : plan.observations) {
        for (const std::uint64_t seed : plan.seeds) {
          for (const std::string& method : plan.methods) {
            cases.push_back({task, budget, observation, seed, method, plan.preset, plan.options,
                             plan.reference, plan.samples});
          }
        }
      }
    }
  }
  return cases;
}

std::string case_name(const BenchCase& run) {
  const std::string plain = fmt::format("{}-{}-{}-{}-{}-{}", run.task, run.budget, run.observation,
                                        run.seed, run.method, run.preset);
  return fmt::format("{}-{:08x}", plain,
                     hash_of(fmt::format("{}/{}/{}", run.options, run.reference, run.samples)));
}

}  // namespace hone
