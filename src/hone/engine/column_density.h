#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/core/matrix.h"

// The density p(y) of one variable whose shape the outputs of a network say, row by row: a mixture
// of Gaussians (mixture.h) or a spline flow (spline.h), between two ends if it has them.

namespace hone {

enum class DensityForm { mixture, spline };

inline constexpr Index kMostComponents = 64, kMostTransforms = 16;

struct DensityShape {
  DensityForm form = DensityForm::mixture;
  Index components = 8;  // Gaussians, or knots of the spline: 3 numbers each
  Index stride = 0;      // numbers between two rows of outputs; >= 3 components
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

// A component narrower than this fraction of a column's standard deviation has found rounding or
// equal values, which are no feature of a density.
inline constexpr double kNarrowestScale = 3e-4;

// The scale that an output r stands for: log s = log_floor + softplus(r - log_floor) + log_wider.
template <typename T>
struct DensityScale {
  T log, scale, slope;  // slope: d log s / d r
};

template <typename T>
DensityScale<T> density_scale(T r, T log_wider) {
  // Wider than this the part of a Gaussian in an interval is lost in rounding.
  constexpr T kWidestLogScale = 5;
  const T floor = static_cast<T>(std::log(kNarrowestScale));
  const bool widest = r > kWidestLogScale;
  const T above = (widest ? kWidestLogScale : r) - floor, e = std::exp(-std::abs(above));
  const T log = floor + log_wider + std::max(above, T(0)) + std::log1p(e);
  return {log, std::exp(log), widest ? T(0) : above > 0 ? 1 / (1 + e) : e / (1 + e)};
}

// And back: r of a scale.
double raw_scale(double scale);

// Mean of -log p(y) over the rows. y: (rows)  outputs, doutputs: (rows, stride); doutputs, if not
// null, is overwritten with the gradient (0 beyond the numbers of the density).
template <typename T>
double density_loss(T* doutputs, const T* outputs, const T* y, Index rows,
                    const DensityShape& shape);

// doutputs = dlog[i] times the gradient of log p(y[i]), row by row.
template <typename T>
void density_backward(T* doutputs, const T* dlog, const T* outputs, const T* y, Index rows,
                      const DensityShape& shape);

// log p(y), row by row: out[i] for row i of outputs and y[i]. Scales are `wider` times those of the
// outputs.
template <typename T>
void log_density(T* out, const T* outputs, const T* y, Index rows, const DensityShape& shape,
                 double wider = 1);

// The same for many y and one row of outputs.
template <typename T>
void log_densities(T* out, const T* outputs, const T* y, Index count, const DensityShape& shape);

// y with a random number uniform in (0, 1) each: draws from p, with `wider` scales.
template <typename T>
void density_draws(T* y, const T* outputs, const double* uniform, Index rows,
                   const DensityShape& shape, double wider = 1);

}  // namespace hone
