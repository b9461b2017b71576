#include "hone/engine/kernels.h"

#include <cstdlib>

#include "hone/core/error.h"

namespace hone {

// One of each per build of kernels_isa.cpp.
const Kernels<float>& float_kernels_baseline();
const Kernels<double>& double_kernels_baseline();
#ifdef __x86_64__
const Kernels<float>& float_kernels_avx2();
const Kernels<float>& float_kernels_avx512();
const Kernels<double>& double_kernels_avx2();
const Kernels<double>& double_kernels_avx512();
#endif

std::vector<InstructionSet> supported_instruction_sets() {
  std::vector<InstructionSet> sets{InstructionSet::baseline};
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    sets.push_back(InstructionSet::avx2);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
      sets.push_back(InstructionSet::avx512);
    }
  }
#endif
  return sets;
}

std::string to_string(InstructionSet set) {
  switch (set) {
#ifdef __aarch64__
    case InstructionSet::baseline: return "neon";
#else
    case InstructionSet::baseline: return "baseline";
#endif
    case InstructionSet::avx2: return "avx2";
    case InstructionSet::avx512: return "avx512";
  }
  return "unknown";
}

InstructionSet instruction_set_named(const char* name) {
  const std::vector<InstructionSet> sets = supported_instruction_sets();
  if (name == nullptr) return sets.back();
  std::string known;
  for (const InstructionSet set : sets) {
    if (to_string(set) == name) return set;
    known += (known.empty() ? "" : ", ") + to_string(set);
  }
  fail(ErrorKind::input, "HONE_INSTRUCTION_SET = {}: this machine has {}", name, known);
}

InstructionSet used_instruction_set() {
  static const InstructionSet used = instruction_set_named(std::getenv("HONE_INSTRUCTION_SET"));
  return used;
}

template <>
const Kernels<float>& kernels([[maybe_unused]] InstructionSet set) {
#ifdef __x86_64__
  if (set == InstructionSet::avx512) return float_kernels_avx512();
  if (set == InstructionSet::avx2) return float_kernels_avx2();
#endif
  return float_kernels_baseline();
}

template <>
const Kernels<double>& kernels([[maybe_unused]] InstructionSet set) {
#ifdef __x86_64__
  if (set == InstructionSet::avx512) return double_kernels_avx512();
  if (set == InstructionSet::avx2) return double_kernels_avx2();
#endif
  return double_kernels_baseline();
}

template <typename T>
const Kernels<T>& best_kernels() {
  static const Kernels<T>& best = kernels<T>(used_instruction_set());
  return best;
}
template const Kernels<float>& best_kernels();
template const Kernels<double>& best_kernels();

}  // namespace hone
