#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "hone/core/error.h"

// What the fuzz targets share. A target calls one reader with whatever the fuzzer invents; the only
// allowed outcomes are a value and an Error (or an exception of nlohmann's, where the reader's own
// comment says that its callers turn it into one).

namespace hone {

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

template <typename F>
void survive(F&& read) {
  try {
    read();
  } catch (const Error&) {
  } catch (const nlohmann::json::exception&) {
  }
}

// The input as a file, in memory, with an ending that names its format.
inline std::filesystem::path file_with(const std::string& bytes, const std::string& ending) {
  static const std::string name =
      "/dev/shm/hone-fuzz-" + std::to_string(static_cast<long>(::getpid()));
  const std::filesystem::path path = name + ending;
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  return path;
}

}  // namespace hone
