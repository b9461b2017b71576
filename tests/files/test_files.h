#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "hone/core/error.h"

namespace hone {

// A directory of the test's own, removed at its end.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "hone-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code code;
    std::filesystem::remove_all(path_, code);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void put_bytes(const std::filesystem::path& path, const std::string& bytes) {
  // A new file: ext4 waits for the disk when an old one is cut to nothing and written again.
  std::error_code code;
  std::filesystem::remove(path, code);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// The message of the Error of this kind that body must throw.
inline std::string error_text(const std::function<void()>& body, ErrorKind kind = ErrorKind::io) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return "";
}

inline std::string refusal(const std::function<void()>& body) {
  return error_text(body, ErrorKind::input);
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace hone
