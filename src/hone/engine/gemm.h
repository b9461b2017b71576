#pragma once

#include "hone/engine/kernels.h"

namespace hone {

enum class GemmBackend { libxsmm, eigen };

// libxsmm where it was built in, else Eigen.
GemmBackend best_gemm_backend();
bool has_libxsmm();
// "libxsmm clx", with the processor it makes code for; "eigen".
std::string describe_products();

// A planned product of small row-major matrices, c = a b or c += a b (GemmShape, kernels.h).
// With libxsmm the plan is machine code made for this shape; planning is cached by shape.
template <typename T>
class Gemm {
 public:
  Gemm() = default;
  explicit Gemm(const GemmShape& shape, GemmBackend backend = best_gemm_backend());

  void operator()(T* c, const T* a, const T* b) const {
    if (compiled_ != nullptr) {
      compiled_(b, a, c);  // libxsmm is column-major: c^T = b^T a^T
    } else {
      fallback_(c, a, b, shape_);
    }
  }

 private:
  GemmShape shape_;
  void (*compiled_)(const T*, const T*, T*, ...) = nullptr;
  void (*fallback_)(T*, const T*, const T*, const GemmShape&) = nullptr;
};

}  // namespace hone
