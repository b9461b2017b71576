#pragma once

#include "hone/core/matrix.h"
#include "hone/core/rng.h"

namespace hone {

struct SlicedWassersteinOptions {
  int directions = 200;  // random ones, the same for the same rng; >= 1. One column needs only one

  void validate() const;
};

// Sliced 2-Wasserstein distance, the root of the mean over directions u (uniform on the sphere) of
//   W_2^2(u . a, u . b) = int_0^1 (quantile of u . a - quantile of u . b)^2
// in the units of the columns: give both samples columns of comparable scale (z_scored, below).
// Numbers of rows may differ. Throws Error{input} for samples without rows, with different columns
// or with values that are not finite. Same bits for any number of threads.
double sliced_wasserstein(MatrixView<const double> a, MatrixView<const double> b,
                          const SlicedWassersteinOptions& options, const Rng& rng);

}  // namespace hone
