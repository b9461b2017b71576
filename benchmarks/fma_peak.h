#pragma once

#include <string>

namespace hone::bench {

// The best instruction set of this machine for multiply-and-add: "avx512", "avx2" or "sse2".
std::string fma_instruction_set();

// The rate of single-precision multiply-and-adds, in GFLOP/s, that all threads of the current arena
// (hone/core/parallel.h) reach together when every operand stays in registers: the ceiling of any
// matrix product on this machine at this moment. Runs for about `seconds`, short enough to
// alternate with the work it is compared with.
double measure_fma_peak(double seconds = 0.01);

}  // namespace hone::bench
