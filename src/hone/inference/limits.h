#pragma once

#include <limits>
#include <string>

namespace hone {

// What a number may be. The page of options, the help and the checks all read this.
struct Limits {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false, high_open = false;  // the bound itself is not allowed
  bool whole = false;                        // whole numbers, which have another notation

  bool contain(double value) const;  // nothing contains a number that is not finite
  std::string text() const;          // "in (0, 1]", ">= 1", "in 50 .. 1000000000"
  std::string requirement() const;   // "must lie in (0, 1]", "must be 1 or greater"
};

constexpr Limits at_least(double low) {
  return {.low = low};
}
constexpr Limits above(double low) {
  return {.low = low, .low_open = true};
}
constexpr Limits between(double low, double high) {
  return {.low = low, .high = high};
}

}  // namespace hone
