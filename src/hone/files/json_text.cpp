#include "hone/files/json_text.h"

#include <algorithm>

#include "hone/core/error.h"

namespace hone {
namespace {

// How deep brackets and braces outside strings are nested. Up to the first fault of a text this
// sees what the parser sees, which reads no further than that.
int depth_of(std::string_view text) {
  int depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
      if (deepest > kDeepestJson) return deepest;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

template <typename Json>
Json parse_json(std::string_view text) {
  if (depth_of(text) > kDeepestJson) {
    fail(ErrorKind::io, "JSON nested deeper than {} levels", kDeepestJson);
  }
  return Json::parse(text);
}

template <typename Json>
std::optional<Json> try_parse_json(std::string_view text) {
  if (depth_of(text) > kDeepestJson) return std::nullopt;
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

template nlohmann::json parse_json(std::string_view);
template nlohmann::ordered_json parse_json(std::string_view);
template std::optional<nlohmann::json> try_parse_json(std::string_view);
template std::optional<nlohmann::ordered_json> try_parse_json(std::string_view);

}  // namespace hone
