#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hone/estimate/options.h"
#include "hone/inference/limits.h"

namespace hone {

// Throws Error{input} naming the option, the value and the limit. A convolution must not use up the
// data.
void validate(const InferenceOptions& options, Index data_size = std::numeric_limits<Index>::max());

// One of preset_names(); Error{input} otherwise.
InferenceOptions preset(const std::string& name);
// The same for a method, the preset's own if it is empty. Only "published" has other options for
// other methods: each as in its published row.
InferenceOptions preset(const std::string& name, const std::string& method);
std::vector<std::string> preset_names();

// One row per option: the problem file, the command line, the run directory and the reference page
// are all made from this table.
struct OptionEntry {
  std::string name;              // as in a problem file; the flag is --name with '-' for '_'
  std::string group;             // heading in the help and on the reference page
  std::string help;              // one sentence
  std::string values;            // what is allowed: "> 0", "adam, adamw"
  std::optional<Limits> limits;  // of a number, or of each in a list
  std::function<nlohmann::json(const InferenceOptions&)> get;
  std::function<void(InferenceOptions&, const nlohmann::json&)> set;  // Error{input} on wrong types
};
const std::vector<OptionEntry>& option_table();
const OptionEntry& find_option(const std::string& name);  // Error{input} with the nearest name

// The page docs/reference/options.md.
std::string option_reference();

// From text as on the command line.
void set_option(InferenceOptions& options, const std::string& name, const std::string& text);

nlohmann::ordered_json to_json(const InferenceOptions& options);
// Every option must be there; Error{input} names one that is not.
InferenceOptions inference_options_from_json(const nlohmann::json& json);
// Those of `json` in place of what `start` says.
InferenceOptions with_options(InferenceOptions start, const nlohmann::json& json);

// What a run.json of an old format means where it lacks an option, for it was written before there
// was one.
InferenceOptions old_run_defaults();

}  // namespace hone
