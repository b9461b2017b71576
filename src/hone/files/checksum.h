#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace hone {

// A 64-bit checksum against damage (not against malice), at several GB/s. Every step is a
// bijection of the state, so one changed word is always noticed. Bytes are taken as little-endian
// words of 8, the last one filled up with zeros; part of the file format, never to change.
inline std::uint64_t checksum(std::uint64_t state, std::span<const std::byte> bytes) {
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, bytes.size() - i < 8 ? bytes.size() - i : 8);
    state = (state ^ word) * 0x9E3779B97F4A7C15u;  // odd: 2^64 / golden ratio
    state ^= state >> 32;
  }
  return state;
}

}  // namespace hone
