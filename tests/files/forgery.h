#pragma once

#include <functional>

#include <nlohmann/json.hpp>

#include "files/test_files.h"
#include "hone/files/seal.h"
#include "hone/files/sealed_json.h"

namespace hone {

// Changes a JSON file of a run and seals it anew: hone takes it for its own.
inline void forge(const std::filesystem::path& file,
                  const std::function<void(nlohmann::ordered_json&)>& change) {
  const std::string text = bytes_of(file);
  const FileMark mark = verify_sealed_json(text);
  auto json = nlohmann::ordered_json::parse(text);
  json.erase("seal");
  change(json);
  put_bytes(file, sealed_json_text(json, mark));
}

// An HDF5 file of a run without its seal: equal for runs that differ in nothing but their names.
inline std::string content_of(const std::filesystem::path& file) {
  return bytes_of(file).substr(static_cast<std::size_t>(kSealBytes));
}

}  // namespace hone
