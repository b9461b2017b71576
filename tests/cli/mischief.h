#pragma once

#include <cstdint>

namespace hone {

// What the test simulator does wrong instead of answering.
enum class Mischief { none, crash, hang, nan, rubbish };

// Of 1,000 simulations 100 crash, 50 hang, 50 return NaN and 20 print rubbish. The seed decides, so
// that a simulation that is tried again does it again, and a test can count beforehand.
constexpr Mischief mischief(std::uint64_t seed) {
  const std::uint64_t part = seed % 1000;
  if (part < 100) return Mischief::crash;
  if (part < 150) return Mischief::hang;
  if (part < 200) return Mischief::nan;
  if (part < 220) return Mischief::rubbish;
  return Mischief::none;
}

constexpr double kSimulatorNoise = 0.5;

}  // namespace hone
