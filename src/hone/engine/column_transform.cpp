#include "hone/engine/column_transform.h"

#include "hone/engine/density_row.h"

namespace hone {
namespace {

double log_normal_density(double z) {
  return -0.5 * z * z - kHalfLogTwoPi;
}

}  // namespace

template <typename T>
void transform_forward(T* z, T* log, const T* outputs, const T* y, Index step, Index rows,
                       const DensityShape& shape) {
  with_density_row<T>(shape, [&](auto row) {
    for (Index i = 0; i < rows; ++i) {
      row.read(outputs + i * shape.stride, 1);
      log[i] += row.log_density(y[i * step]);
      if (z == nullptr) continue;
      const double score = row.score();
      z[i * step] = static_cast<T>(score);
      log[i] -= static_cast<T>(log_normal_density(score));
    }
  });
}

// log dz / dy = log p(y) - log phi(z): z has a part in it.
template <typename T>
void transform_backward(T* doutputs, T* dy, const T* dlog, const T* dz, const T* outputs,
                        const T* y, Index step, Index rows, const DensityShape& shape) {
  with_density_row<T>(shape, [&](auto row) {
    for (Index i = 0; i < rows; ++i) {
      T* d = doutputs + i * shape.stride;
      row.read(outputs + i * shape.stride, 1);
      const double log = static_cast<double>(row.log_density(y[i * step]));
      const double by_log = static_cast<double>(dlog[i]);
      row.gradient(d, dlog[i]);
      double by_y = by_log * row.slope();
      if (dz != nullptr) {
        const double score = row.score();
        const double by_score = static_cast<double>(dz[i * step]) + by_log * score;
        if (!row.beyond()) {
          row.add_score_gradient(d, by_score);
          by_y += by_score * std::exp(log - log_normal_density(score));
        }
      }
      dy[i * step] = static_cast<T>(by_y);
    }
  });
}

template <typename T>
void transform_inverse(T* y, const T* outputs, const T* z, Index step, Index rows,
                       const DensityShape& shape) {
  with_density_row<T>(shape, [&](auto row) {
    for (Index i = 0; i < rows; ++i) {
      row.read(outputs + i * shape.stride, 1);
      y[i * step] = row.inverse_score(static_cast<double>(z[i * step]));
    }
  });
}

// NOLINTBEGIN(bugprone-macro-parentheses): names of types take none
#define HONE_INSTANTIATE(T)                                                                  \
  template void transform_forward<T>(T*, T*, const T*, const T*, Index, Index,               \
                                     const DensityShape&);                                   \
  template void transform_backward<T>(T*, T*, const T*, const T*, const T*, const T*, Index, \
                                      Index, const DensityShape&);                           \
  template void transform_inverse<T>(T*, const T*, const T*, Index, Index, const DensityShape&);
HONE_INSTANTIATE(float)
HONE_INSTANTIATE(double)
#undef HONE_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace hone
