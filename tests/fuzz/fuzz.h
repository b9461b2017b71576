#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "hone/core/error.h"

// What the fuzz targets share. A target calls one reader with whatever the fuzzer invents; the only
// allowed outcomes are a value and an Error (or an exception of nlohmann's, where the reader's own
// comment says that its callers turn it into one).
//
//   HONE_FUZZ_TARGET(label)(const std::string& bytes) { ... }
//
// makes the program fuzz_label, and a row of the table that replay_test.cpp runs over the corpora.

namespace hone {

using FuzzTarget = void (*)(const std::string& bytes);

inline std::map<std::string, FuzzTarget>& fuzz_targets() {
  static std::map<std::string, FuzzTarget> table;
  return table;
}

template <typename F>
void survive(F&& read) {
  try {
    read();
  } catch (const Error&) {
  } catch (const nlohmann::json::exception&) {
  }
}

// A directory in memory, where there is one, which goes with the process.
class Scratch {
 public:
  Scratch() { std::filesystem::create_directories(path); }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  const std::filesystem::path path =
      std::filesystem::path(std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp") /
      ("hone-fuzz-" + std::to_string(static_cast<long>(::getpid())));
};

// The input as a file, with an ending that names its format.
inline std::filesystem::path file_with(std::string_view bytes, const std::string& ending) {
  static const Scratch scratch;
  const std::filesystem::path path = scratch.path / ("input" + ending);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  return path;
}

// Chooses among `choices` by the first byte, which is taken off; 0 if there is none.
inline int take_choice(std::string_view& bytes, int choices) {
  if (bytes.empty()) return 0;
  const int choice = static_cast<unsigned char>(bytes[0]) % choices;
  bytes.remove_prefix(1);
  return choice;
}

}  // namespace hone

#ifdef HONE_REPLAY
#define HONE_FUZZ_TARGET(name)                                                               \
  static void fuzz_##name(const std::string& bytes);                                         \
  static const bool listed_##name = hone::fuzz_targets().emplace(#name, fuzz_##name).second; \
  static void fuzz_##name
#else
#define HONE_FUZZ_TARGET(name)                                                        \
  static void fuzz_##name(const std::string& bytes);                                  \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    fuzz_##name({reinterpret_cast<const char*>(data), size});                         \
    return 0;                                                                         \
  }                                                                                   \
  static void fuzz_##name
#endif
