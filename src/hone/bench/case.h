#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "hone/estimate/options.h"

namespace hone {

// One run of a study. Together with hone's version it decides every number that comes out, whatever
// the number of threads or of interruptions.
struct BenchCase {
  std::string task;
  Index budget = 0;
  int observation = 1;  // counted from 1
  std::uint64_t seed = 1;
  std::string method = "tmnre";
  std::string preset = "default";
  std::string options = {};         // what differs from the preset: "epsilon=0.001 hidden=32"
  std::string reference = kNative;  // where observation and reference posterior come from
  Index samples = 10000;            // per marginal, to be scored; sbibm has as many references

  static constexpr const char* kNative = "native";  // the task's own reference posterior
  static constexpr const char* kSbibm = "sbibm";    // files in the layout of sbibm

  bool operator==(const BenchCase&) const = default;
};

// Preset, method, budget and options of a case, checked: Error{input}.
InferenceOptions inference_options(const BenchCase& run);

// What differs from a preset but for method and budget, in the order of the option table. An option
// that a user has given counts also if the preset has the same value, but not for every method.
std::string option_changes(const InferenceOptions& options, const std::string& preset_name,
                           const std::set<std::string>& given = {});

// A grid of cases: small budgets first, then as the tasks are listed.
struct BenchPlan {
  std::vector<std::string> tasks;
  std::vector<Index> budgets;
  std::vector<int> observations = {1};
  std::vector<std::uint64_t> seeds = {1};
  std::vector<std::string> methods = {"tmnre"};
  std::string preset = "default";
  std::string options = {};
  std::string reference = BenchCase::kNative;
  Index samples = 10000;
};
std::vector<BenchCase> cases_of(const BenchPlan& plan);

// A directory name of its own for every case.
std::string case_name(const BenchCase& run);

}  // namespace hone
