#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace hone {

// What went wrong, seen from the user's side. The command line turns it into its exit code.
enum class ErrorKind {
  input,        // a value, file or option that the caller can correct; refused before any work
  io,           // a file could not be read or written (permissions, disk full, damaged file)
  simulator,    // the simulator failed more often than it may
  numerical,    // a computation has no usable answer
  interrupted,  // the user asked to stop; everything finished is saved
};

std::string to_string(ErrorKind kind);

// The one exception type of the library. The message says what was wrong, which value, and what to
// do: "truncation.epsilon = 2: must lie in (0, 1)".
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

template <typename... Args>
[[noreturn]] void fail(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(kind, fmt::format(format, std::forward<Args>(args)...));
}

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace hone

// For broken promises inside hone, never for wrong input. Always on: none stands in a hot loop.
#define HONE_ASSERT(condition)                                                  \
  do {                                                                          \
    if (!(condition)) ::hone::assertion_failed(#condition, __FILE__, __LINE__); \
  } while (false)
