#pragma once

#include <cstdint>

namespace hone {

// Does a simulation validate, or does it train? For life, by its id alone: whatever the seed, the
// round or the size of the data set. About `fraction` of all ids validate, and those of a smaller
// fraction are among those of a larger one. The mixing (splitmix64's) must never change: it would
// move simulations of existing runs from one side to the other.
inline bool is_validation(std::int64_t id, double fraction) {
  std::uint64_t z = static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15u + 0x76616C6964617465u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-53 < fraction;
}

}  // namespace hone
