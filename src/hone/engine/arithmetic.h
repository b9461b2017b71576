#pragma once

#include <string>

#include "hone/engine/kernels.h"

namespace hone {

// What the bits of a result depend on beside its seed. Sums are taken in the order of the machine's
// vector instructions, and a mathematics library has other last bits on other processors: equal
// descriptions give equal bits, other ones give answers that are as good.
struct Arithmetic {
  std::string kernels;    // instruction set of the element-wise kernels: "avx2"
  std::string products;   // of small matrices: "libxsmm hsw", "eigen"
  std::string functions;  // exp, log, ...: "glibc 2.36, values 5be0a3c1", a checksum of some values

  bool operator==(const Arithmetic&) const = default;
};

// Of this process. Error{input} if HONE_INSTRUCTION_SET asks for what the machine does not have.
const Arithmetic& this_arithmetic();
std::string describe(const Arithmetic& arithmetic);

}  // namespace hone
