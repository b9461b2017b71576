#include "hone/inference/limits.h"

#include <cmath>

#include <fmt/format.h>

#include "hone/core/error.h"

namespace hone {
namespace {

std::string interval(const Limits& limits) {
  if (limits.whole) return fmt::format("{} .. {}", limits.low, limits.high);
  return fmt::format("{}{}, {}{}", limits.low_open ? '(' : '[', limits.low, limits.high,
                     limits.high_open ? ')' : ']');
}

// No option has an upper bound alone.
bool has_only_low(const Limits& limits) {
  HONE_ASSERT(std::isfinite(limits.low));
  return std::isinf(limits.high);
}

}  // namespace

bool Limits::contain(double value) const {
  if (!std::isfinite(value)) return false;
  return (low_open ? value > low : value >= low) && (high_open ? value < high : value <= high);
}

std::string Limits::text() const {
  if (has_only_low(*this)) return fmt::format("{} {}", low_open ? ">" : ">=", low);
  return "in " + interval(*this);
}

std::string Limits::requirement() const {
  if (!has_only_low(*this)) return "must lie in " + interval(*this);
  return low_open ? fmt::format("must be greater than {}", low)
                  : fmt::format("must be {} or greater", low);
}

}  // namespace hone
