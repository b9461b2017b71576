#pragma once

#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

// All JSON that hone reads comes through here: whoever wrote it, it cannot use up the stack. The
// JSON library copies, prints and compares values by calling itself for each level, so that a file
// of 80,000 brackets would end the process.

namespace hone {

// Nothing that hone writes is nested deeper than ten levels.
constexpr int kDeepestJson = 64;

// Json: nlohmann::json, or nlohmann::ordered_json. Throws what the JSON library throws for a text
// that is not JSON, and Error{io} for one that is nested too deep. Callers add the file's name.
template <typename Json = nlohmann::json>
Json parse_json(std::string_view text);

// Nothing for a text that is not JSON or nested too deep.
template <typename Json = nlohmann::json>
std::optional<Json> try_parse_json(std::string_view text);

}  // namespace hone
