#pragma once

#include <limits>

#include "hone/core/matrix.h"

// A mixture of K Gaussians in one variable, each cut to an interval:
//
//   p(y) = sum_k w_k N(y; m_k, s_k) / Z_k,    Z_k = Phi((upper - m_k) / s_k) - Phi((lower - m_k) /
//   s_k)
//
// as 3 K outputs of a network, row by row: logits of the weights w, means m, and numbers r that
// scales come from, log s = log_floor + softplus(r - log_floor). In an interval no probability is
// lost outside of it, and a peak at its edge is the flank of a Gaussian; without ends Z_k is 1.

namespace hone {

inline constexpr Index kMostComponents = 64;

struct MixtureShape {
  Index components = 8;  // K
  Index stride = 0;      // numbers between two rows of outputs; >= 3 K
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

// A component narrower than this fraction of a column's standard deviation has found rounding or
// equal values, which are no feature of a density.
inline constexpr double kNarrowestScale = 3e-4;

// Mean of -log p(y) over the rows. y: (rows)  outputs, doutputs: (rows, stride); doutputs, if not
// null, is overwritten with the gradient (0 beyond the 3 K numbers).
template <typename T>
double mixture_loss(T* doutputs, const T* outputs, const T* y, Index rows,
                    const MixtureShape& shape);

// log p(y), row by row: out[i] for row i of outputs and y[i].
template <typename T>
void mixture_log_density(T* out, const T* outputs, const T* y, Index rows,
                         const MixtureShape& shape);

// The same for many y and one row of outputs.
template <typename T>
void mixture_log_densities(T* out, const T* outputs, const T* y, Index count,
                           const MixtureShape& shape);

// y with a random number uniform in (0, 1) each: draws from p. The standard deviations are `wider`
// times those of the mixture.
template <typename T>
void mixture_draws(T* y, const T* outputs, const double* uniform, Index rows,
                   const MixtureShape& shape, double wider = 1);

// log p(y) of the mixture with wider standard deviations, for what mixture_draws drew.
template <typename T>
void wider_mixture_log_density(T* out, const T* outputs, const T* y, Index rows,
                               const MixtureShape& shape, double wider);

}  // namespace hone
