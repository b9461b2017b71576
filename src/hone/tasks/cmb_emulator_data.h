#pragma once

#include <cstddef>
#include <span>

namespace hone {

// cmb_emulator.bin, all little-endian and row by row:
//
//   float32 (105, 30)   coefficients of the monomials for each component
//   float32 (30)        unit of each component
//   float32 (3, 2499)   fiducial C_ell of TT, TE, EE in micro-K^2
//   float32 (3, 2499)   their scale sigma
//   int16   (30, 7497)  components in their units
//   uint8   (105, 6)    exponents of the monomials
std::span<const std::byte> cmb_emulator_data();

}  // namespace hone
