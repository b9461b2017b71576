#include "hone/prior/distribution_spec.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "hone/core/error.h"
#include "hone/core/suggestion.h"

namespace hone {
namespace {

std::string place_of(std::string_view where, std::string_view field) {
  return fmt::format("{}.{}", where, field);
}

// A value from a file, short enough for a message.
std::string shown(const nlohmann::json& value) {
  std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

const DistributionField* find_field(const DistributionKind& kind, std::string_view name) {
  for (const DistributionField& field : kind.fields) {
    if (field.name == name || std::count(field.aliases.begin(), field.aliases.end(), name) > 0) {
      return &field;
    }
  }
  return nullptr;
}

const DistributionField& known_field(const DistributionKind& kind, const std::string& name,
                                     std::string_view where) {
  if (const DistributionField* field = find_field(kind, name)) return *field;
  std::vector<std::string> names;
  for (const DistributionField& field : kind.fields) names.emplace_back(field.name);
  fail_place(std::string(where),
             fmt::format("'{}' has no field '{}'; {}", kind.name, name, suggestion(name, names)));
}

constexpr const char* kNumber = "one number, not a list";
constexpr const char* kNumbers = "a list of numbers";
constexpr const char* kWords = "a list of words";

const char* form_of(const DistributionField& field) {
  return field.text ? kWords : field.array ? kNumbers : kNumber;
}

// Moves the fields of `from`, which have this form, to their proper names.
template <typename Values>
Values renamed(const Values& from, const DistributionKind& kind, const char* form,
               std::string_view where) {
  Values to;
  for (const auto& [name, value] : from) {
    const DistributionField& field = known_field(kind, name, where);
    if (form_of(field) != form) {
      fail_place(place_of(where, name), fmt::format("must be {}", form_of(field)));
    }
    if (!to.emplace(field.name, value).second) {
      fail_place(place_of(where, field.name),
                 fmt::format("given twice, as '{}' and under another name; keep one", name));
    }
  }
  return to;
}

void fill_default(DistributionSpec& spec, const DistributionField& field, std::string_view where) {
  const std::string name(field.name);
  if (field.text) return;
  if (field.array ? spec.arrays.contains(name) : spec.numbers.contains(name)) return;
  if (!field.fallback) {
    fail_place(place_of(where, name),
               fmt::format("missing; '{}' needs it ({})", spec.kind, field.description));
  }
  spec.numbers[name] = *field.fallback;
}

void check_number(const DistributionSpec& spec, const DistributionField& field,
                  std::string_view where) {
  const double value = spec.number(std::string(field.name));
  const auto refuse = [&](const std::string& limit) {
    fail_value(place_of(where, field.name), value, "must be " + limit);
  };
  const auto other = [&](std::string_view name) { return spec.number(std::string(name)); };
  const bool default_infinity = field.fallback && std::isinf(*field.fallback);
  if (!std::isfinite(value) && !(default_infinity && value == *field.fallback)) {
    refuse("a finite number");
  }
  if (!(value > field.above)) {
    if (!std::isinf(value)) refuse(fmt::format("greater than {}", field.above));
  }
  if (!(value <= field.at_most)) refuse(fmt::format("at most {}", field.at_most));
  if (!field.above_field.empty() && !(value > other(field.above_field))) {
    refuse(fmt::format("greater than {} = {}", field.above_field, other(field.above_field)));
  }
  if (!field.from_field.empty() && !(value >= other(field.from_field))) {
    refuse(fmt::format("at least {} = {}", field.from_field, other(field.from_field)));
  }
  if (!field.to_field.empty() && !(value <= other(field.to_field))) {
    refuse(fmt::format("at most {} = {}", field.to_field, other(field.to_field)));
  }
}

void check_array(const DistributionSpec& spec, const DistributionField& field,
                 std::string_view where) {
  const std::vector<double>& values = spec.array(std::string(field.name));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      fail_value(fmt::format("{}.{}[{}]", where, field.name, i), values[i],
                 "must be a finite number");
    }
  }
}

std::vector<double> numbers_from_json(const nlohmann::json& json, std::string_view where,
                                      const std::string& field) {
  std::vector<double> values;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (!json[i].is_number()) {
      fail_value(fmt::format("{}.{}[{}]", where, field, i), shown(json[i]), "must be a number");
    }
    values.push_back(json[i].get<double>());
  }
  return values;
}

std::vector<std::string> words_from_json(const nlohmann::json& json, std::string_view where,
                                         const std::string& field) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (!json[i].is_string() || json[i].get<std::string>().empty()) {
      fail_value(fmt::format("{}[{}]", place_of(where, field), i), shown(json[i]),
                 "must be a word");
    }
    words.push_back(json[i].get<std::string>());
  }
  return words;
}

}  // namespace

double DistributionSpec::number(const std::string& field) const {
  const auto found = numbers.find(field);
  HONE_ASSERT(found != numbers.end());
  return found->second;
}

const std::vector<double>& DistributionSpec::array(const std::string& field) const {
  const auto found = arrays.find(field);
  HONE_ASSERT(found != arrays.end());
  return found->second;
}

std::vector<std::string> DistributionSpec::text(const std::string& field) const {
  const auto found = texts.find(field);
  return found == texts.end() ? std::vector<std::string>() : found->second;
}

nlohmann::json to_json(const DistributionSpec& spec) {
  nlohmann::json json = {{"kind", spec.kind}};
  for (const auto& [name, value] : spec.numbers) {
    if (!std::isinf(value)) json[name] = value;
  }
  for (const auto& [name, values] : spec.arrays) json[name] = values;
  for (const auto& [name, words] : spec.texts) json[name] = words;
  return json;
}

DistributionSpec distribution_spec_from_json(const nlohmann::json& json, std::string_view where) {
  if (!json.is_object()) {
    fail_value(std::string(where), shown(json),
               "must be a table such as {\"kind\": \"uniform\", \"low\": 0, \"high\": 1}");
  }
  if (!json.contains("kind")) fail_place(place_of(where, "kind"), "missing");
  if (!json["kind"].is_string()) {
    fail_value(place_of(where, "kind"), shown(json["kind"]), "must be a name");
  }
  DistributionSpec spec;
  spec.kind = json["kind"].get<std::string>();
  for (const auto& [name, value] : json.items()) {
    if (name == "kind") continue;
    if (value.is_number()) {
      spec.numbers[name] = value.get<double>();
    } else if (value.is_array() && !value.empty() && value[0].is_string()) {
      spec.texts[name] = words_from_json(value, where, name);
    } else if (value.is_array()) {
      spec.arrays[name] = numbers_from_json(value, where, name);
    } else {
      fail_value(place_of(where, name), shown(value), "must be a number");
    }
  }
  return spec;
}

const DistributionKind& find_distribution_kind(std::string_view name, std::string_view where) {
  std::vector<std::string> names;
  for (const DistributionKind& kind : distribution_kinds()) {
    if (kind.name == name) return kind;
    names.emplace_back(kind.name);
  }
  fail_value(place_of(where, "kind"), fmt::format("'{}'", name.substr(0, 60)),
             "unknown; " + suggestion(name, names));
}

DistributionSpec resolve(const DistributionSpec& spec, std::string_view where) {
  const DistributionKind& kind = find_distribution_kind(spec.kind, where);
  DistributionSpec resolved{spec.kind, renamed(spec.numbers, kind, kNumber, where),
                            renamed(spec.arrays, kind, kNumbers, where),
                            renamed(spec.texts, kind, kWords, where)};
  for (const DistributionField& field : kind.fields) fill_default(resolved, field, where);
  for (const DistributionField& field : kind.fields) {
    if (field.text) continue;
    field.array ? check_array(resolved, field, where) : check_number(resolved, field, where);
  }
  return resolved;
}

}  // namespace hone
