#include "hone/core/error.h"

namespace hone {

std::string to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::input: return "input";
    case ErrorKind::io: return "io";
    case ErrorKind::simulator: return "simulator";
    case ErrorKind::numerical: return "numerical";
    case ErrorKind::interrupted: return "interrupted";
  }
  return "unknown";
}

void assertion_failed(const char* condition, const char* file, int line) {
  throw std::logic_error(
      fmt::format("{}:{}: broken assertion '{}'; this is a bug in hone", file, line, condition));
}

}  // namespace hone
