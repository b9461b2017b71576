#include "hone/engine/kernels.h"

#include "hone/core/error.h"

namespace hone {

// One of each per build of kernels_isa.cpp.
const Kernels<float>& float_kernels_baseline();
const Kernels<float>& float_kernels_avx2();
const Kernels<float>& float_kernels_avx512();
const Kernels<double>& double_kernels_baseline();
const Kernels<double>& double_kernels_avx2();
const Kernels<double>& double_kernels_avx512();

std::vector<InstructionSet> supported_instruction_sets() {
  std::vector<InstructionSet> sets{InstructionSet::baseline};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    sets.push_back(InstructionSet::avx2);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
      sets.push_back(InstructionSet::avx512);
    }
  }
  return sets;
}

std::string to_string(InstructionSet set) {
  switch (set) {
    case InstructionSet::baseline: return "baseline";
    case InstructionSet::avx2: return "avx2";
    case InstructionSet::avx512: return "avx512";
  }
  return "unknown";
}

template <>
const Kernels<float>& kernels(InstructionSet set) {
  switch (set) {
    case InstructionSet::avx512: return float_kernels_avx512();
    case InstructionSet::avx2: return float_kernels_avx2();
    case InstructionSet::baseline: break;
  }
  return float_kernels_baseline();
}

template <>
const Kernels<double>& kernels(InstructionSet set) {
  switch (set) {
    case InstructionSet::avx512: return double_kernels_avx512();
    case InstructionSet::avx2: return double_kernels_avx2();
    case InstructionSet::baseline: break;
  }
  return double_kernels_baseline();
}

template <typename T>
const Kernels<T>& best_kernels() {
  static const Kernels<T>& best = kernels<T>(supported_instruction_sets().back());
  return best;
}
template const Kernels<float>& best_kernels();
template const Kernels<double>& best_kernels();

}  // namespace hone
