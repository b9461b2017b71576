#include "hone/prior/derived.h"

#include <string_view>

#include <nlohmann/json.hpp>

#include "hone/core/error.h"
#include "hone/core/suggestion.h"

namespace hone {

nlohmann::json to_json(const std::vector<DerivedQuantity>& derived) {
  nlohmann::json json = nlohmann::json::array();
  for (const DerivedQuantity& one : derived) {
    json.push_back({{"name", one.name}, {"label", one.label}, {"value", one.value}});
  }
  return json;
}

std::vector<DerivedQuantity> derived_from_json(const nlohmann::json& json) {
  if (!json.is_array()) fail_place("derived", "must be a list of tables");
  std::vector<DerivedQuantity> derived;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string where = fmt::format("derived[{}]", i);
    if (!json[i].is_object()) fail_place(where, "must be a table with name, label and value");
    for (const auto& [field, value] : json[i].items()) {
      if (field != "name" && field != "label" && field != "value") {
        fail_place(where, fmt::format("unknown field '{}'; {}", field.substr(0, 60),
                                      suggestion(field, {"name", "label", "value"})));
      }
      if (!value.is_string()) fail_place(where + "." + field, "must be text");
    }
    for (const char* field : {"name", "value"}) {
      if (!json[i].contains(field)) fail_place(where + "." + field, "missing");
    }
    derived.push_back({json[i]["name"], json[i].value("label", ""), json[i]["value"]});
  }
  return derived;
}

DerivedQuantity parse_derived(const std::string& text) {
  const auto trimmed = [](const std::string& part) {
    const std::size_t first = part.find_first_not_of(' ');
    if (first == std::string::npos) return std::string();
    return part.substr(first, part.find_last_not_of(' ') - first + 1);
  };
  const std::size_t sign = text.find('=');
  const bool named = sign != std::string::npos && sign > 0 &&
                     std::string_view("<>!=").find(text[sign - 1]) == std::string_view::npos &&
                     text[std::min(sign + 1, text.size() - 1)] != '=';
  if (!named) return {trimmed(text), "", trimmed(text)};
  return {trimmed(text.substr(0, sign)), "", trimmed(text.substr(sign + 1))};
}

std::vector<DerivedQuantity> parse_derived(const std::vector<std::string>& texts) {
  std::vector<DerivedQuantity> derived;
  for (const std::string& text : texts) derived.push_back(parse_derived(text));
  return derived;
}

}  // namespace hone
