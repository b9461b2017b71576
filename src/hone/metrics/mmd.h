#pragma once

#include "hone/core/matrix.h"

namespace hone {

struct MmdOptions {
  double bandwidth = 0;    // h of the kernel; 0: median heuristic
  Index max_rows = 10000;  // only the first so many rows of each sample are used; >= 2

  void validate() const;
};

struct Mmd {
  double squared = 0;    // unbiased estimate of MMD^2; scatters around 0, also below, if equal
  double noise = 0;      // its standard deviation if both distributions are equal
  double bandwidth = 0;  // h
  Index rows = 0;        // of each sample that were used
};

// Maximum mean discrepancy (Gretton et al. 2012) with the kernel k(x, y) = exp(-|x - y|^2 / 2 h^2):
//   MMD^2 = E k(a, a') + E k(b, b') - 2 E k(a, b)
// The median heuristic takes for h the median distance of two rows of the first sample (of its
// first 1,000 rows). Of samples of different size the first min(n_a, n_b) rows of each are used.
// n^2 kernel values, in parallel, same bits for any number of threads. Throws Error{input} for
// samples that cannot be compared, or a first sample without spread.
Mmd mmd(MatrixView<const double> a, MatrixView<const double> b, const MmdOptions& options = {});

}  // namespace hone
