#include "hone/engine/gemm.h"

#include <cstdlib>

#ifdef HONE_HAVE_LIBXSMM
#include <libxsmm.h>
#endif

#include "hone/core/error.h"

namespace hone {

bool has_libxsmm() {
#ifdef HONE_HAVE_LIBXSMM
  return true;
#else
  return false;
#endif
}

GemmBackend best_gemm_backend() {
  return has_libxsmm() ? GemmBackend::libxsmm : GemmBackend::eigen;
}

#ifdef HONE_HAVE_LIBXSMM
namespace {

// libxsmm finds out by itself what the processor can do, unless an instruction set is asked for.
// It has no code for less than AVX: Eigen takes over.
void prepare_libxsmm() {
  static const bool prepared = [] {
    if (std::getenv("HONE_INSTRUCTION_SET") == nullptr) return true;
    switch (used_instruction_set()) {
      case InstructionSet::baseline: libxsmm_set_target_archid(LIBXSMM_X86_SSE4); break;
      case InstructionSet::avx2: libxsmm_set_target_archid(LIBXSMM_X86_AVX2); break;
      case InstructionSet::avx512: libxsmm_set_target_archid(LIBXSMM_X86_AVX512_CORE); break;
    }
    return true;
  }();
  static_cast<void>(prepared);
}

template <typename T>
auto dispatch(const GemmShape& s) {
  prepare_libxsmm();
  const auto size = [](Index value) { return static_cast<libxsmm_blasint>(value); };
  const libxsmm_blasint lda = size(s.ldb), ldb = size(s.lda), ldc = size(s.ldc);
  const T alpha = 1, beta = s.accumulate ? 1 : 0;
  const int flags = s.transpose_a ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
  if constexpr (sizeof(T) == sizeof(float)) {
    return libxsmm_smmdispatch(size(s.cols), size(s.rows), size(s.inner), &lda, &ldb, &ldc, &alpha,
                               &beta, &flags, nullptr);
  } else {
    return libxsmm_dmmdispatch(size(s.cols), size(s.rows), size(s.inner), &lda, &ldb, &ldc, &alpha,
                               &beta, &flags, nullptr);
  }
}

}  // namespace

std::string describe_products() {
  prepare_libxsmm();
  return std::string("libxsmm ") + libxsmm_get_target_arch();
}
#else
std::string describe_products() {
  return "eigen";
}
#endif

template <typename T>
Gemm<T>::Gemm(const GemmShape& shape, [[maybe_unused]] GemmBackend backend)
    : shape_(shape), fallback_(best_kernels<T>().gemm) {
  HONE_ASSERT(shape.rows > 0 && shape.cols > 0 && shape.inner > 0);
#ifdef HONE_HAVE_LIBXSMM
  // libxsmm answers null for shapes it has no code for; Eigen then takes over.
  if (backend == GemmBackend::libxsmm) compiled_ = dispatch<T>(shape);
#endif
}

template class Gemm<float>;
template class Gemm<double>;

}  // namespace hone
