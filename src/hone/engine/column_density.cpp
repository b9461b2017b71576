#include "hone/engine/column_density.h"

#include "hone/engine/density_row.h"

namespace hone {
namespace {

template <typename T>
void fill_rest(T* d, const DensityShape& shape) {
  std::fill(d + 3 * shape.components, d + shape.stride, T(0));
}

}  // namespace

double raw_scale(double scale) {
  const double floor = std::log(kNarrowestScale), above = std::log(scale) - floor;
  return floor + above + std::log(-std::expm1(-above));
}

template <typename T>
double density_loss(T* doutputs, const T* outputs, const T* y, Index rows,
                    const DensityShape& shape) {
  return with_density_row<T>(shape, [&](auto row) {
    double sum = 0;
    const T share = -1 / static_cast<T>(rows);
    for (Index i = 0; i < rows; ++i) {
      row.read(outputs + i * shape.stride, 1);
      sum -= static_cast<double>(row.log_density(y[i]));
      if (doutputs == nullptr) continue;
      row.gradient(doutputs + i * shape.stride, share);
      fill_rest(doutputs + i * shape.stride, shape);
    }
    return sum / static_cast<double>(rows);
  });
}

template <typename T>
void density_backward(T* doutputs, const T* dlog, const T* outputs, const T* y, Index rows,
                      const DensityShape& shape) {
  with_density_row<T>(shape, [&](auto row) {
    for (Index i = 0; i < rows; ++i) {
      row.read(outputs + i * shape.stride, 1);
      row.log_density(y[i]);
      row.gradient(doutputs + i * shape.stride, dlog[i]);
      fill_rest(doutputs + i * shape.stride, shape);
    }
  });
}

template <typename T>
void log_density(T* out, const T* outputs, const T* y, Index rows, const DensityShape& shape,
                 double wider) {
  with_density_row<T>(shape, [&](auto row) {
    for (Index i = 0; i < rows; ++i) {
      row.read(outputs + i * shape.stride, wider);
      out[i] = row.log_density(y[i]);
    }
  });
}

template <typename T>
void log_densities(T* out, const T* outputs, const T* y, Index count, const DensityShape& shape) {
  with_density_row<T>(shape, [&](auto row) {
    row.read(outputs, 1);
    for (Index i = 0; i < count; ++i) out[i] = row.log_density(y[i]);
  });
}

template <typename T>
void density_draws(T* y, const T* outputs, const double* uniform, Index rows,
                   const DensityShape& shape, double wider) {
  with_density_row<T>(shape, [&](auto row) {
    for (Index i = 0; i < rows; ++i) {
      row.read(outputs + i * shape.stride, wider);
      y[i] = row.draw(uniform[i]);
    }
  });
}

// NOLINTBEGIN(bugprone-macro-parentheses): names of types take none
#define HONE_INSTANTIATE(T)                                                                        \
  template double density_loss<T>(T*, const T*, const T*, Index, const DensityShape&);             \
  template void density_backward<T>(T*, const T*, const T*, const T*, Index, const DensityShape&); \
  template void log_density<T>(T*, const T*, const T*, Index, const DensityShape&, double);        \
  template void log_densities<T>(T*, const T*, const T*, Index, const DensityShape&);              \
  template void density_draws<T>(T*, const T*, const double*, Index, const DensityShape&, double);
HONE_INSTANTIATE(float)
HONE_INSTANTIATE(double)
#undef HONE_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace hone
