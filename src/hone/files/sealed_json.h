#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "hone/files/file_mark.h"

namespace hone {

// A JSON object as the text of a file of a run. Its last member says where it belongs and has a
// checksum of all that stands before it:
//   "seal": {"run": "90c1...", "file": "rounds/round-01.json", "checksum": "5be0..."}
// Of no run (mark.run is 0): without a seal.
std::string sealed_json_text(const nlohmann::ordered_json& content, const FileMark& mark);

bool has_seal(std::string_view text);

// Checks the seal of such a text and says where it belongs. Throws Error{io}, without the path of
// the file, if a byte has changed since it was written.
FileMark verify_sealed_json(std::string_view text);

}  // namespace hone
