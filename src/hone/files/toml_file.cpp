#include "hone/files/toml_file.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <toml++/toml.h>

#include "hone/core/error.h"
#include "hone/files/files.h"
#include "hone/files/toml_depth.h"

namespace hone {
namespace {

// Problem files are written by hand; the largest hold an observation.
constexpr std::size_t kMostBytes = std::size_t{8} << 20;

// toml++ calls itself for each level of values and of dotted keys. Its own limit is that of the
// system's library, whatever a program says, and thousands of levels need more than a small stack.
constexpr int kDeepest = 32;

void check_depth(const std::string& text, const std::string& file) {
  if (const auto line = line_of_too_deep_toml(text, kDeepest)) {
    fail(ErrorKind::input, "{}, line {}: values or keys nested deeper than {} levels", file, *line,
         kDeepest);
  }
}

class Converter {
 public:
  explicit Converter(TomlDocument& document) : document_(document) {}

  nlohmann::json convert(const toml::node& node, const std::string& path) {
    document_.lines[path] = static_cast<Index>(node.source().begin.line);
    if (const auto* table = node.as_table()) return convert_table(*table, path);
    if (const auto* array = node.as_array()) return convert_array(*array, path);
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* integer = node.as_integer()) return integer->get();
    if (const auto* number = node.as_floating_point()) return number->get();
    if (const auto* truth = node.as_boolean()) return truth->get();
    document_.refuse(path, path + ": a date or time has no meaning here");
  }

 private:
  nlohmann::json convert_table(const toml::table& table, const std::string& path) {
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [key, value] : table) {
      const std::string name(key.str());
      json[name] = convert(value, path.empty() ? name : path + "." + name);
    }
    return json;
  }
  nlohmann::json convert_array(const toml::array& array, const std::string& path) {
    nlohmann::json json = nlohmann::json::array();
    for (std::size_t i = 0; i < array.size(); ++i) {
      json.push_back(convert(array[i], fmt::format("{}[{}]", path, i)));
    }
    return json;
  }

  TomlDocument& document_;
};

}  // namespace

Index TomlDocument::line_of(std::string path) const {
  while (true) {
    const auto found = lines.find(path);
    if (found != lines.end() && found->second > 0) return found->second;
    if (path.empty()) return 1;
    const std::size_t end = path.find_last_of(".[");
    path.resize(end == std::string::npos ? 0 : end);
  }
}

void TomlDocument::refuse(const std::string& path, const std::string& message) const {
  fail_place(fmt::format("{}, line {}", file, line_of(path)), message);
}

TomlDocument parse_toml(const std::string& text, const std::string& file) {
  check_depth(text, file);
  TomlDocument document{file, {}, {}};
  try {
    const toml::table table = toml::parse(text);
    document.root = Converter(document).convert(table, "");
  } catch (const toml::parse_error& error) {
    fail(ErrorKind::input, "{}, line {}, column {}: {}", file, error.source().begin.line,
         error.source().begin.column, error.description().substr(0, 300));
  }
  return document;
}

TomlDocument read_toml(const std::filesystem::path& path) {
  try {
    return parse_toml(read_file(path, kMostBytes), path.string());
  } catch (const Error& error) {  // of whatever kind: the user chose the file
    throw Error(ErrorKind::input, error.what());
  }
}

std::string shown_value(const nlohmann::json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    return fmt::format("{}", value.get<double>());
  }
  std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (text.size() <= 60) return text;
  text.resize(57);
  while (!text.empty() && (text.back() & 0xC0) == 0x80) text.pop_back();  // whole characters
  return text + "...";
}

}  // namespace hone
