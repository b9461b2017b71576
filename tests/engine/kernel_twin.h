#pragma once

#include <algorithm>
#include <cmath>

#include "hone/engine/kernels.h"

// What every kernel computes, written without vectors: the meaning of kernels.h in double
// precision.
namespace hone::test {

inline double activation(double y, Activation kind) {
  if (kind == Activation::relu) return std::max(y, 0.0);
  return kind == Activation::silu ? y / (1 + std::exp(-y)) : y;
}
inline double activation_slope(double y, Activation kind) {
  if (kind == Activation::relu) return y < 0 ? 0 : 1;
  if (kind == Activation::identity) return 1;
  const double s = 1 / (1 + std::exp(-y));
  return s * (1 + y * (1 - s));
}

template <typename T>
void twin_activate(T* a, const T* z, const T* scale, const T* shift, const T* mask, Index rows,
                   Index width, Activation kind) {
  for (Index i = 0; i < rows * width; ++i) {
    const Index j = i % width;
    const double y = activation(double(z[i]) * double(scale[j]) + double(shift[j]), kind);
    a[i] = T(mask == nullptr ? y : y * double(mask[i]));
  }
}

template <typename T>
void twin_activate_backward(T* d, T* sum_d, T* sum_dz, const T* z, const T* scale, const T* shift,
                            const T* center, const T* mask, Index rows, Index width,
                            Activation kind) {
  for (Index i = 0; i < rows * width; ++i) {
    const Index j = i % width;
    double g =
        double(d[i]) * activation_slope(double(z[i]) * double(scale[j]) + double(shift[j]), kind);
    if (mask != nullptr) g *= double(mask[i]);
    d[i] = T(g);
    sum_d[j] += T(g);
    sum_dz[j] += T(g * (double(z[i]) - double(center[j])));
  }
}

template <typename T>
void twin_finish_linear(T* z, T* sum, T* square, const T* bias, const T* skip, Index skip_stride,
                        const T* center, Index rows, Index width) {
  for (Index i = 0; i < rows * width; ++i) {
    const Index j = i % width;
    z[i] += bias[j];
    if (skip != nullptr) z[i] += skip[i / width * skip_stride + j];
    if (sum == nullptr) continue;
    sum[j] += z[i] - center[j];
    square[j] += (z[i] - center[j]) * (z[i] - center[j]);
  }
}

template <typename T>
void twin_column_norm_backward(T* d, T* sum_d, const T* z, const T* scale, const T* slope,
                               const T* offset, const T* skip, Index rows, Index width) {
  for (Index i = 0; i < rows * width; ++i) {
    const Index j = i % width;
    d[i] = d[i] * scale[j] + z[i] * slope[j] + offset[j] + (skip == nullptr ? T(0) : skip[i]);
    sum_d[j] += d[i];
  }
}

template <typename T>
void twin_row_norm_activate(T* a, T* row_mean, T* row_inverse, const T* z, const T* scale,
                            const T* shift, const T* mask, Index rows, Index width, Index features,
                            T epsilon, Activation kind) {
  for (Index i = 0; i < rows; ++i, z += width) {
    double mean = 0, variance = 0;
    for (Index j = 0; j < features; ++j) mean += double(z[j]) / double(features);
    for (Index j = 0; j < features; ++j) {
      variance += (double(z[j]) - mean) * (double(z[j]) - mean) / double(features);
    }
    const double inverse = 1 / std::sqrt(variance + double(epsilon));
    for (Index j = 0; j < width; ++j) {
      const double n = (double(z[j]) - mean) * inverse;
      const double y = activation(n * double(scale[j]) + double(shift[j]), kind);
      a[i * width + j] = T(mask == nullptr ? y : y * double(mask[i * width + j]));
    }
    row_mean[i] = T(mean);
    row_inverse[i] = T(inverse);
  }
}

template <typename T>
void twin_row_norm_backward(T* d, T* dscale, T* dshift, const T* z, const T* row_mean,
                            const T* row_inverse, const T* scale, const T* shift, const T* mask,
                            Index rows, Index width, Index features, Activation kind) {
  for (Index i = 0; i < rows; ++i, z += width, d += width) {
    const double mean = double(row_mean[i]), inverse = double(row_inverse[i]);
    double sum = 0, sum_n = 0;
    for (Index j = 0; j < width; ++j) {
      const double n = (double(z[j]) - mean) * inverse;
      double dy = j < features ? double(d[j]) : 0.0;
      dy *= activation_slope(n * double(scale[j]) + double(shift[j]), kind);
      if (mask != nullptr) dy *= double(mask[i * width + j]);
      dscale[j] += T(dy * n);
      dshift[j] += T(dy);
      d[j] = T(dy * double(scale[j]));
      sum += dy * double(scale[j]) / double(features);
      sum_n += dy * double(scale[j]) * n / double(features);
    }
    for (Index j = 0; j < width; ++j) {
      const double n = (double(z[j]) - mean) * inverse;
      d[j] = j < features ? T((double(d[j]) - sum - n * sum_n) * inverse) : T(0);
    }
  }
}

// Adam as its authors write it (Kingma and Ba 2015, algorithm 1), with decoupled decay.
template <typename T>
void twin_adam(T* w, T* m, T* v, const T* gradient, Index count, const AdamStep& s) {
  for (Index i = 0; i < count; ++i) {
    const double g = double(gradient[i]) * s.gradient_scale;
    const double first = s.beta1 * double(m[i]) + (1 - s.beta1) * g;
    const double second = s.beta2 * double(v[i]) + (1 - s.beta2) * g * g;
    m[i] = T(first);
    v[i] = T(second);
    const double step = first / s.correction1 / (std::sqrt(second / s.correction2) + s.epsilon);
    w[i] = T(double(w[i]) * (1 - s.rate * s.decay) - s.rate * step);
  }
}

template <typename T>
void twin_gemm(T* c, const T* a, const T* b, const GemmShape& s) {
  for (Index i = 0; i < s.rows; ++i) {
    for (Index j = 0; j < s.cols; ++j) {
      double sum = s.accumulate ? double(c[i * s.ldc + j]) : 0.0;
      for (Index k = 0; k < s.inner; ++k) {
        const T left = s.transpose_a ? a[k * s.lda + i] : a[i * s.lda + k];
        sum += double(left) * double(b[k * s.ldb + j]);
      }
      c[i * s.ldc + j] = T(sum);
    }
  }
}

}  // namespace hone::test
