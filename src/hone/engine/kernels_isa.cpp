// Built three times, with HONE_ISA = baseline, avx2 or avx512 and HONE_VECTOR_BYTES = 16, 32 or 64
// and the matching compiler flags. Everything here has internal linkage, and standard-library
// templates are avoided: a function shared between the three builds could be the one that the
// machine at hand cannot run. Eigen is renamed for the same reason.
#include "hone/engine/kernels.h"

#if HONE_VECTOR_BYTES == 64
#include <immintrin.h>
#endif

#define HONE_JOIN_(a, b) a##b
#define HONE_JOIN(a, b) HONE_JOIN_(a, b)
#define Eigen HONE_JOIN(hone_eigen_, HONE_ISA)
#include <Eigen/Core>
#undef Eigen
namespace eigen = HONE_JOIN(hone_eigen_, HONE_ISA);

namespace hone {
namespace {

template <typename T>
struct VectorOf {
  typedef T type __attribute__((vector_size(HONE_VECTOR_BYTES), may_alias));
  typedef T unaligned __attribute__((vector_size(HONE_VECTOR_BYTES), may_alias, aligned(4)));
  static constexpr Index lanes = HONE_VECTOR_BYTES / sizeof(T);
};
template <typename T>
using Vec = typename VectorOf<T>::type;
template <typename T>
constexpr Index kLanes = VectorOf<T>::lanes;

template <typename T>
inline Vec<T> load(const T* p) {
  return *reinterpret_cast<const Vec<T>*>(p);
}
template <typename T>
inline void store(T* p, Vec<T> v) {
  *reinterpret_cast<Vec<T>*>(p) = v;
}
template <typename T>
inline Vec<T> broadcast(T value) {
  return value - Vec<T>{};
}
template <typename T>
inline T horizontal_sum(Vec<T> v) {
#if HONE_VECTOR_BYTES == 64
  if constexpr (sizeof(T) == 4) return _mm512_reduce_add_ps((__m512)v);
  if constexpr (sizeof(T) == 8) return _mm512_reduce_add_pd((__m512d)v);
#endif
  T sum = 0;
  for (Index i = 0; i < kLanes<T>; ++i) sum += v[i];
  return sum;
}

// The smaller and the larger one; `x` if it is NaN.
inline Vec<float> at_most(float limit, Vec<float> x) {
#if HONE_VECTOR_BYTES == 64
  return (Vec<float>)_mm512_min_ps((__m512)broadcast(limit), (__m512)x);
#else
  return x > limit ? broadcast(limit) : x;
#endif
}
inline Vec<float> at_least(float limit, Vec<float> x) {
#if HONE_VECTOR_BYTES == 64
  return (Vec<float>)_mm512_max_ps((__m512)broadcast(limit), (__m512)x);
#else
  return x < limit ? broadcast(limit) : x;
#endif
}

// exp(-y) to 1e-6 (4e-6 without FMA) on the range where neither it nor its reciprocal overflows;
// values beyond are clamped, NaN stays NaN. With -y = n ln(2) + r: 2^n, put together from its bits,
// times a polynomial of degree 5 that is off by at most 1e-7 on |r| <= ln(2) / 2. Every operation
// counts: activations take a third of the time of a training step.
inline Vec<float> exp_minus(Vec<float> y) {
  using Ints = int __attribute__((vector_size(HONE_VECTOR_BYTES)));
  y = at_least(-87.0f, at_most(87.0f, y));
  const float magic = 12583039.0f;  // 1.5 * 2^23 + 127: a sum with it ends in the bits of n + 127
  const Vec<float> sum = y * -1.44269504f + magic;
  const Vec<float> n = sum - magic;
  const Vec<float> r = n * -0.693147181f - y;
  Vec<float> p = r * 8.3125e-3f + 4.189033e-2f;
  p = p * r + 1.6667115e-1f;
  p = p * r + 4.999923e-1f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  return p * (Vec<float>)((Ints)sum << 23);
}
inline Vec<double> exp_minus(Vec<double> y) {
  Vec<double> result{};
  for (Index i = 0; i < kLanes<double>; ++i) result[i] = __builtin_exp(-y[i]);
  return result;
}

// `y < 0 ? 0 : y` lets NaN through, which `y > 0 ? y : 0` would hide.
template <Activation A, typename V>
inline V activation(V y) {
  if constexpr (A == Activation::relu) return y < 0 ? V{} : y;
  if constexpr (A == Activation::silu) return y / (1 + exp_minus(y));
  return y;
}
template <Activation A, typename V>
inline V activation_slope(V y) {
  if constexpr (A == Activation::relu) return y < 0 ? V{} : V{} + 1;
  if constexpr (A == Activation::silu) {
    const V s = 1 / (1 + exp_minus(y));
    return s * (1 + y * (1 - s));
  }
  return V{} + 1;
}

// Calls f<A>() for the run-time activation, so that inner loops have no branch.
template <typename F>
inline void with_activation(Activation activation, F&& f) {
  switch (activation) {
    case Activation::identity: return f.template operator()<Activation::identity>();
    case Activation::relu: return f.template operator()<Activation::relu>();
    case Activation::silu: return f.template operator()<Activation::silu>();
  }
}

// Columns are walked in strips of one vector, rows inside: per-column constants and sums stay in
// registers for the whole strip, and every 64-byte access uses a full cache line.

template <typename T>
void activate(T* a, const T* z, const T* scale, const T* shift, const T* mask, Index rows,
              Index width, Activation kind) {
  with_activation(kind, [&]<Activation A>() {
    for (Index j = 0; j < width; j += kLanes<T>) {
      const Vec<T> s = load(scale + j), t = load(shift + j);
      if (mask == nullptr) {
        for (Index at = j; at < rows * width; at += width) {
          store(a + at, activation<A>(load(z + at) * s + t));
        }
      } else {
        for (Index at = j; at < rows * width; at += width) {
          store(a + at, activation<A>(load(z + at) * s + t) * load(mask + at));
        }
      }
    }
  });
}

template <typename T>
void activate_backward(T* d, T* sum_d, T* sum_dz, const T* z, const T* scale, const T* shift,
                       const T* center, const T* mask, Index rows, Index width, Activation kind) {
  with_activation(kind, [&]<Activation A>() {
    for (Index j = 0; j < width; j += kLanes<T>) {
      const Vec<T> s = load(scale + j), t = load(shift + j), c = load(center + j);
      Vec<T> total = load(sum_d + j), total_z = load(sum_dz + j);
      for (Index at = j; at < rows * width; at += width) {
        const Vec<T> value = load(z + at);
        Vec<T> g = load(d + at);
        if constexpr (A == Activation::relu) {
          g = value * s + t < 0 ? Vec<T>{} : g;
        } else if constexpr (A != Activation::identity) {
          g *= activation_slope<A>(value * s + t);
        }
        if (mask != nullptr) g *= load(mask + at);
        store(d + at, g);
        total += g;
        total_z += g * (value - c);
      }
      store(sum_d + j, total);
      store(sum_dz + j, total_z);
    }
  });
}

template <typename T>
void finish_linear(T* z, const T* bias, const T* skip, Index skip_stride, Index rows, Index width) {
  for (Index j = 0; j < width; j += kLanes<T>) {
    const Vec<T> b = load(bias + j);
    for (Index i = 0; i < rows; ++i) {
      Vec<T> value = load(z + i * width + j) + b;
      if (skip != nullptr) value += load(skip + i * skip_stride + j);
      store(z + i * width + j, value);
    }
  }
}

template <typename T>
void finish_linear_moments(T* z, T* sum, T* square, const T* bias, const T* skip, Index skip_stride,
                           const T* center, Index rows, Index width) {
  for (Index j = 0; j < width; j += kLanes<T>) {
    const Vec<T> b = load(bias + j), c = load(center + j);
    Vec<T> total = load(sum + j), total_square = load(square + j);
    for (Index i = 0; i < rows; ++i) {
      Vec<T> value = load(z + i * width + j) + b;
      if (skip != nullptr) value += load(skip + i * skip_stride + j);
      store(z + i * width + j, value);
      const Vec<T> distance = value - c;
      total += distance;
      total_square += distance * distance;
    }
    store(sum + j, total);
    store(square + j, total_square);
  }
}

template <typename T>
void column_norm_backward(T* d, T* sum_d, const T* z, const T* scale, const T* slope,
                          const T* offset, const T* skip, Index rows, Index width) {
  for (Index j = 0; j < width; j += kLanes<T>) {
    const Vec<T> s = load(scale + j), p = load(slope + j), q = load(offset + j);
    Vec<T> total = load(sum_d + j);
    for (Index at = j; at < rows * width; at += width) {
      Vec<T> g = load(d + at) * s + load(z + at) * p + q;
      if (skip != nullptr) g += load(skip + at);
      store(d + at, g);
      total += g;
    }
    store(sum_d + j, total);
  }
}

// Columns of a row from j on, with 0 for those beyond its features: rows are filled up to a
// multiple of a vector.
template <typename T>
inline Vec<T> features_only(Vec<T> values, Index j, Index features) {
  if (j + kLanes<T> <= features) return values;
  for (Index i = 0; i < kLanes<T>; ++i) values[i] = j + i < features ? values[i] : T(0);
  return values;
}

template <typename T>
void row_norm_activate(T* a, T* row_mean, T* row_inverse, const T* z, const T* scale,
                       const T* shift, const T* mask, Index rows, Index width, Index features,
                       T epsilon, Activation kind) {
  with_activation(kind, [&]<Activation A>() {
    for (Index i = 0; i < rows; ++i, a += width, z += width) {
      Vec<T> sum{}, square{};
      for (Index j = 0; j < width; j += kLanes<T>) sum += load(z + j);
      const T mean = horizontal_sum<T>(sum) / T(features);
      for (Index j = 0; j < width; j += kLanes<T>) {
        const Vec<T> distance = features_only<T>(load(z + j) - mean, j, features);
        square += distance * distance;
      }
      const T inverse = 1 / T(__builtin_sqrt(horizontal_sum<T>(square) / T(features) + epsilon));
      for (Index j = 0; j < width; j += kLanes<T>) {
        Vec<T> y =
            activation<A>((load(z + j) - mean) * inverse * load(scale + j) + load(shift + j));
        if (mask != nullptr) y *= load(mask + i * width + j);
        store(a + j, y);
      }
      row_mean[i] = mean;
      row_inverse[i] = inverse;
    }
  });
}

// With n = (z - mean) * inverse and g = dy * scale: dz = inverse * (g - mean(g) - n * mean(g n)).
template <typename T>
void row_norm_backward(T* d, T* dscale, T* dshift, const T* z, const T* row_mean,
                       const T* row_inverse, const T* scale, const T* shift, const T* mask,
                       Index rows, Index width, Index features, Activation kind) {
  with_activation(kind, [&]<Activation A>() {
    for (Index i = 0; i < rows; ++i, d += width, z += width) {
      const T mean = row_mean[i], inverse = row_inverse[i];
      Vec<T> sum{}, sum_n{};
      for (Index j = 0; j < width; j += kLanes<T>) {
        const Vec<T> n = (load(z + j) - mean) * inverse;
        Vec<T> dy = load(d + j) * activation_slope<A>(n * load(scale + j) + load(shift + j));
        if (mask != nullptr) dy *= load(mask + i * width + j);
        dy = features_only<T>(dy, j, features);
        store(dscale + j, load(dscale + j) + dy * n);
        store(dshift + j, load(dshift + j) + dy);
        const Vec<T> g = dy * load(scale + j);
        store(d + j, g);
        sum += g;
        sum_n += g * n;
      }
      const T mean_g = horizontal_sum<T>(sum) / T(features);
      const T mean_gn = horizontal_sum<T>(sum_n) / T(features);
      for (Index j = 0; j < width; j += kLanes<T>) {
        const Vec<T> n = (load(z + j) - mean) * inverse;
        const Vec<T> g = (load(d + j) - mean_g - n * mean_gn) * inverse;
        store(d + j, features_only<T>(g, j, features));
      }
    }
  });
}

template <typename T>
void row_dot(T* out, const T* a, const T* w, T bias, Index rows, Index width) {
  for (Index i = 0; i < rows; ++i) {
    Vec<T> sum{};
    for (Index j = 0; j < width; j += kLanes<T>) sum += load(a + i * width + j) * load(w + j);
    out[i] = horizontal_sum<T>(sum) + bias;
  }
}

template <typename T>
void row_dot_backward(T* da, T* dw, const T* dout, const T* a, const T* w, Index rows,
                      Index width) {
  for (Index j = 0; j < width; j += kLanes<T>) {
    const Vec<T> weight = load(w + j);
    Vec<T> total = load(dw + j);
    for (Index i = 0; i < rows; ++i) {
      const Vec<T> g = broadcast(dout[i]);
      total += g * load(a + i * width + j);
      store(da + i * width + j, g * weight);
    }
    store(dw + j, total);
  }
}

template <typename T>
void add(T* sum, const T* values, Index count) {
  for (Index i = 0; i < count; i += kLanes<T>) store(sum + i, load(sum + i) + load(values + i));
}

template <typename T>
void column_sums(T* sum, const T* values, Index rows, Index width) {
  for (Index j = 0; j < width; j += kLanes<T>) {
    Vec<T> total = load(sum + j);
    for (Index i = 0; i < rows; ++i) total += load(values + i * width + j);
    store(sum + j, total);
  }
}

template <typename T>
void transpose(T* out, const T* in, Index rows, Index cols) {
  constexpr Index kTile = 16;  // both dimensions are multiples of kLane
  for (Index i = 0; i < rows; i += kTile) {
    for (Index j = 0; j < cols; j += kTile) {
      for (Index c = j; c < j + kTile; ++c) {
        for (Index r = i; r < i + kTile; ++r) out[c * rows + r] = in[r * cols + c];
      }
    }
  }
}

template <typename T>
double square_norm(const T* values, Index count) {
  double sum = 0;
  for (Index i = 0; i < count; i += kLanes<T>) {
    const Vec<T> v = load(values + i);
    sum += static_cast<double>(horizontal_sum<T>(v * v));
  }
  return sum;
}

template <typename T>
inline Vec<T> square_root(Vec<T> v) {
  for (Index i = 0; i < kLanes<T>; ++i) v[i] = T(__builtin_sqrt(v[i]));
  return v;
}

// w -= rate * (m / correction1) / (sqrt(v / correction2) + epsilon), with the corrections folded
// into the step size and into epsilon, which saves a division and a root per element.
template <typename T>
void adam(T* __restrict w, T* __restrict m, T* __restrict v, const T* __restrict gradient,
          Index count, const AdamStep& step) {
  const T beta1 = T(step.beta1), beta2 = T(step.beta2), scale = T(step.gradient_scale);
  const T root2 = T(__builtin_sqrt(step.correction2));
  const T size = T(step.rate / step.correction1) * root2;
  const T epsilon = T(step.epsilon) * root2;
  const T keep = T(1 - step.rate * step.decay);
  for (Index i = 0; i < count; ++i) {
    const T g = gradient[i] * scale;
    const T first = beta1 * m[i] + (1 - beta1) * g;
    const T second = beta2 * v[i] + (1 - beta2) * g * g;
    m[i] = first;
    v[i] = second;
    if constexpr (sizeof(T) == 4) {
      w[i] = keep * w[i] - size * first / (__builtin_sqrtf(second) + epsilon);
    } else {
      w[i] = keep * w[i] - size * first / (__builtin_sqrt(second) + epsilon);
    }
  }
}

template <typename T>
void shorten_rows(T* w, double length, Index rows, Index width) {
  for (T* const end = w + rows * width; w != end; w += width) {
    const double norm = __builtin_sqrt(square_norm(w, width));
    const T keep = norm > length ? T(1 - length / norm) : T(0);
    for (Index j = 0; j < width; ++j) w[j] *= keep;
  }
}

template <typename T>
void average(T* __restrict average, const T* __restrict w, T keep, Index count) {
  for (Index i = 0; i < count; ++i) average[i] += (1 - keep) * (w[i] - average[i]);
}

// A 32-bit integer hash of the element's number, keyed at both ends.
template <typename T>
void dropout_mask(T* __restrict mask, std::uint64_t key, double p, Index count) {
  const auto low = static_cast<std::uint32_t>(key), high = static_cast<std::uint32_t>(key >> 32);
  const auto threshold = static_cast<std::uint32_t>(p * 4294967296.0);
  const T keep = T(1 / (1 - p));
  for (Index i = 0; i < count; ++i) {
    std::uint32_t h = static_cast<std::uint32_t>(i) * 0x9e3779b9U + low;
    h = (h ^ (h >> 16)) * 0x7feb352dU;
    h = ((h ^ (h >> 15)) + high) * 0x846ca68bU;
    h ^= h >> 16;
    mask[i] = h < threshold ? T(0) : keep;
  }
}

template <typename T>
void gemm(T* c, const T* a, const T* b, const GemmShape& s) {
  using RowMajor = eigen::Matrix<T, eigen::Dynamic, eigen::Dynamic, eigen::RowMajor>;
  using Stride = eigen::OuterStride<>;
  const eigen::Index a_rows = s.transpose_a ? s.inner : s.rows;
  const eigen::Index a_cols = s.transpose_a ? s.rows : s.inner;
  const eigen::Map<const RowMajor, 0, Stride> left(a, a_rows, a_cols, Stride(s.lda));
  const eigen::Map<const RowMajor, 0, Stride> right(b, s.inner, s.cols, Stride(s.ldb));
  eigen::Map<RowMajor, 0, Stride> out(c, s.rows, s.cols, Stride(s.ldc));
  if (!s.accumulate) out.setZero();
  if (s.transpose_a) {
    out.noalias() += left.transpose() * right;
  } else {
    out.noalias() += left * right;
  }
}

template <typename T>
constexpr Kernels<T> kTable = {activate<T>,
                               activate_backward<T>,
                               finish_linear<T>,
                               finish_linear_moments<T>,
                               column_norm_backward<T>,
                               row_norm_activate<T>,
                               row_norm_backward<T>,
                               row_dot<T>,
                               row_dot_backward<T>,
                               add<T>,
                               column_sums<T>,
                               transpose<T>,
                               square_norm<T>,
                               adam<T>,
                               shorten_rows<T>,
                               average<T>,
                               dropout_mask<T>,
                               gemm<T>};

}  // namespace

const Kernels<float>& HONE_JOIN(float_kernels_, HONE_ISA)() {
  return kTable<float>;
}
const Kernels<double>& HONE_JOIN(double_kernels_, HONE_ISA)() {
  return kTable<double>;
}

}  // namespace hone
