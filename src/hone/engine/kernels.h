#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hone/core/matrix.h"

// Element-wise kernels of the engine, built once per instruction set from one source
// (kernels_isa.cpp) and chosen at run time, so that one binary runs on every x86-64.
//
// Conventions: matrices are dense and row-major with `width` columns, a multiple of kLane; columns
// beyond a layer's real width hold zeros and stay zero. Pointers are 64-byte aligned unless they
// point at rows of theta or logits. Arguments of column length are marked (width). Outputs first.

namespace hone {

// Sixteen floats: one cache line, one AVX-512 register. Every feature dimension is padded to it.
inline constexpr Index kLane = 16;
inline Index padded(Index size) {
  return (size + kLane - 1) / kLane * kLane;
}

enum class InstructionSet { baseline, avx2, avx512 };
enum class Activation { identity, relu, silu };

struct GemmShape {
  Index rows = 0;   // of c
  Index cols = 0;   // of c
  Index inner = 0;  // summed over
  Index lda = 0, ldb = 0, ldc = 0;
  bool transpose_a = false;  // a is stored (inner, rows)
  bool accumulate = false;   // c += a b instead of c = a b
};

struct AdamStep {
  double rate;            // learning rate
  double beta1, beta2;    // decay of the first and second moment
  double epsilon;         // added to the root of the second moment
  double decay;           // decoupled: w *= 1 - rate * decay (AdamW)
  double correction1;     // 1 - beta1^t
  double correction2;     // 1 - beta2^t
  double gradient_scale;  // multiplies every gradient (clipping)
};

template <typename T>
struct Kernels {
  // a = act(z * scale + shift) [* mask]      mask may be null
  void (*activate)(T* a, const T* z, const T* scale, const T* shift, const T* mask, Index rows,
                   Index width, Activation activation);
  // In: d = gradient of a. Out: d = gradient of y = z * scale + shift.
  // sum_d += column sums of d; sum_dz += column sums of d * (z - center).
  void (*activate_backward)(T* d, T* sum_d, T* sum_dz, const T* z, const T* scale, const T* shift,
                            const T* center, const T* mask, Index rows, Index width,
                            Activation activation);

  // z += bias + skip, where row i of skip starts at skip + i * skip_stride (0: one row for all;
  // null: none). With moments: sum += z - center, square += (z - center)^2 per column.
  void (*finish_linear)(T* z, const T* bias, const T* skip, Index skip_stride, Index rows,
                        Index width);
  void (*finish_linear_moments)(T* z, T* sum, T* square, const T* bias, const T* skip,
                                Index skip_stride, const T* center, Index rows, Index width);

  // Through an affine per-column norm: d = d * scale + z * slope + offset [+ skip].
  // sum_d += column sums of the result. skip may be null.
  void (*column_norm_backward)(T* d, T* sum_d, const T* z, const T* scale, const T* slope,
                               const T* offset, const T* skip, Index rows, Index width);

  // Layer norm over the first `features` columns of each row: a = act(n * scale + shift) [* mask],
  // n = (z - mean) / sqrt(var + epsilon). row_mean, row_inverse: (rows), kept for the way back.
  void (*row_norm_activate)(T* a, T* row_mean, T* row_inverse, const T* z, const T* scale,
                            const T* shift, const T* mask, Index rows, Index width, Index features,
                            T epsilon, Activation activation);
  // In: d = gradient of a. Out: d = gradient of z. dscale, dshift accumulate.
  void (*row_norm_backward)(T* d, T* dscale, T* dshift, const T* z, const T* row_mean,
                            const T* row_inverse, const T* scale, const T* shift, const T* mask,
                            Index rows, Index width, Index features, Activation activation);

  // out[i] = a.row(i) . w + bias
  void (*row_dot)(T* out, const T* a, const T* w, T bias, Index rows, Index width);
  // da = dout w^T (=); dw += a^T dout
  void (*row_dot_backward)(T* da, T* dw, const T* dout, const T* a, const T* w, Index rows,
                           Index width);

  void (*add)(T* sum, const T* values, Index count);                      // sum += values
  void (*column_sums)(T* sum, const T* values, Index rows, Index width);  // sum += column sums
  void (*transpose)(T* out, const T* in, Index rows, Index cols);         // out (cols, rows) = in^T
  double (*square_norm)(const T* values, Index count);

  // One Adam or AdamW step on `count` parameters.
  void (*adam)(T* w, T* m, T* v, const T* gradient, Index count, const AdamStep& step);
  // Each of `rows` rows becomes shorter by `length`, or 0: row *= max(0, 1 - length / |row|).
  void (*shorten_rows)(T* w, double length, Index rows, Index width);
  // average += (1 - keep) * (w - average)
  void (*average)(T* average, const T* w, T keep, Index count);
  // mask = 0 with probability p, else 1 / (1 - p); element i is a hash of (key, i).
  void (*dropout_mask)(T* mask, std::uint64_t key, double p, Index count);

  // c = a b [+ c] by Eigen, the fallback where libxsmm is missing (gemm.h).
  void (*gemm)(T* c, const T* a, const T* b, const GemmShape& shape);
};

// What this machine can run, best last; `kernels` of a set that is not in it must not be called.
std::vector<InstructionSet> supported_instruction_sets();
std::string to_string(InstructionSet set);
// What this process computes with: the best one, or what the environment variable
// HONE_INSTRUCTION_SET names, as one does to repeat a run of another machine to the bit.
// Error{input} if this machine cannot run it.
InstructionSet used_instruction_set();
InstructionSet instruction_set_named(const char* name);  // null: the best one
template <typename T>
const Kernels<T>& kernels(InstructionSet set);
template <typename T>
const Kernels<T>& best_kernels();  // of used_instruction_set()

}  // namespace hone
