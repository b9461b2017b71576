// Reads and writes the values of options by the names that they have in the table.
#include <algorithm>

#include "hone/core/error.h"
#include "hone/core/suggestion.h"
#include "hone/files/json_text.h"
#include "hone/inference/option_table.h"

namespace hone {

using Json = nlohmann::json;

const OptionEntry& find_option(const std::string& name) {
  const auto found = std::ranges::find(option_table(), name, &OptionEntry::name);
  if (found != option_table().end()) return *found;
  std::vector<std::string> names;
  for (const OptionEntry& entry : option_table()) names.push_back(entry.name);
  fail(ErrorKind::input, "there is no option '{}'; {}", name, suggestion(name, names));
}

void set_option(InferenceOptions& options, const std::string& name, const std::string& text) {
  // Numbers, lists and truth values read as JSON; everything else is a word.
  std::optional<Json> parsed = try_parse_json(text);
  // 16,32 is as good as [16,32], and so is 16 alone.
  if (find_option(name).get(options).is_array() && !(parsed && parsed->is_array())) {
    parsed = try_parse_json("[" + text + "]");
  }
  find_option(name).set(options, parsed.value_or(Json(text)));
}

nlohmann::ordered_json to_json(const InferenceOptions& options) {
  nlohmann::ordered_json json;
  for (const OptionEntry& entry : option_table()) json[entry.name] = entry.get(options);
  return json;
}

InferenceOptions with_options(InferenceOptions start, const Json& json) {
  for (const auto& [name, value] : json.items()) find_option(name).set(start, value);
  return start;
}

InferenceOptions inference_options_from_json(const Json& json) {
  for (const OptionEntry& entry : option_table()) {
    if (!json.contains(entry.name)) fail_place("options." + entry.name, "missing");
  }
  return with_options({}, json);
}

}  // namespace hone
