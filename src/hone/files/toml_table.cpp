#include <algorithm>
#include <cmath>

#include "hone/core/error.h"
#include "hone/core/suggestion.h"
#include "hone/files/toml_file.h"

namespace hone {

TomlTable::TomlTable(const TomlDocument& document) : TomlTable(document, document.root, "") {}

TomlTable::TomlTable(const TomlDocument& document, const nlohmann::json& value, std::string path)
    : document_(&document), value_(&value), path_(std::move(path)) {
  HONE_ASSERT(value.is_object());
}

std::string TomlTable::path_of(const std::string& key) const {
  if (key.empty()) return path_;
  return path_.empty() ? key : path_ + "." + key;
}

TomlTable TomlTable::table(const std::string& key) const {
  if (!has(key)) refuse_with("", fmt::format("the section [{}] is missing", path_of(key)));
  if (!at(key).is_object()) refuse(key, "must be a table");
  return {*document_, at(key), path_of(key)};
}

std::vector<TomlTable> TomlTable::tables(const std::string& key) const {
  std::vector<TomlTable> found;
  if (!has(key)) return found;
  const std::string wanted = fmt::format("must be a list of tables, each written [[{}]]", key);
  if (!at(key).is_array()) refuse(key, wanted);
  for (std::size_t i = 0; i < at(key).size(); ++i) {
    if (!at(key)[i].is_object()) refuse(key, wanted);
    found.push_back({*document_, at(key)[i], fmt::format("{}[{}]", path_of(key), i)});
  }
  return found;
}

void TomlTable::allow_only(const std::vector<std::string>& keys) const {
  for (const auto& [key, value] : value_->items()) {
    if (std::ranges::find(keys, key) != keys.end()) continue;
    const std::string where = path_.empty() ? "" : path_ + ": ";
    refuse_with(key, fmt::format("{}unknown key '{}'; {}", where, key.substr(0, 60),
                                 suggestion(key, keys)));
  }
}

void TomlTable::refuse(const std::string& key, const std::string& requirement) const {
  refuse_with(key,
              fmt::format("{} = {}: {}", path_of(key), shown_value(value_->at(key)), requirement));
}

void TomlTable::refuse_with(const std::string& key, const std::string& message) const {
  document_->refuse(path_of(key), message);
}

std::optional<std::string> TomlTable::text(const std::string& key) const {
  if (!has(key)) return std::nullopt;
  if (!at(key).is_string()) refuse(key, "must be text");
  const auto value = at(key).get<std::string>();
  if (value.find('\0') != std::string::npos) refuse(key, "must not contain a zero character");
  return value;
}

std::optional<double> TomlTable::number(const std::string& key) const {
  if (!has(key)) return std::nullopt;
  if (!at(key).is_number()) refuse(key, "must be a number");
  return at(key).get<double>();
}

std::optional<std::int64_t> TomlTable::integer(const std::string& key) const {
  if (!has(key)) return std::nullopt;
  if (!at(key).is_number_integer()) refuse(key, "must be a whole number");
  return at(key).get<std::int64_t>();
}

std::optional<bool> TomlTable::truth(const std::string& key) const {
  if (!has(key)) return std::nullopt;
  if (!at(key).is_boolean()) refuse(key, "must be true or false");
  return at(key).get<bool>();
}

std::optional<std::vector<std::string>> TomlTable::texts(const std::string& key) const {
  if (!has(key)) return std::nullopt;
  const bool good =
      at(key).is_array() && std::ranges::all_of(at(key), [](const auto& one) {
        return one.is_string() && one.template get<std::string>().find('\0') == std::string::npos;
      });
  if (!good) refuse(key, "must be a list of texts, such as [\"python3\", \"simulate.py\"]");
  return at(key).get<std::vector<std::string>>();
}

std::optional<std::vector<double>> TomlTable::numbers(const std::string& key,
                                                      bool may_be_nan) const {
  if (!has(key)) return std::nullopt;
  if (!at(key).is_array()) refuse(key, "must be a list of numbers");
  std::vector<double> values;
  for (std::size_t i = 0; i < at(key).size(); ++i) {
    const nlohmann::json& one = at(key)[i];
    const bool gap = may_be_nan && one.is_number() && std::isnan(one.get<double>());
    if (!gap && (!one.is_number() || !std::isfinite(one.get<double>()))) {
      const std::string path = fmt::format("{}[{}]", path_of(key), i);
      document_->refuse(path,
                        fmt::format("{} = {}: must be a finite number", path, shown_value(one)));
    }
    values.push_back(one.get<double>());
  }
  return values;
}

}  // namespace hone
