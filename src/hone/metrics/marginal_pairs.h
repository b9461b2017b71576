#pragma once

#include <map>
#include <span>

#include "hone/metrics/c2st.h"
#include "hone/prior/marginals.h"

namespace hone {

// The chosen columns of two samples.
SamplePair marginal_pair(MatrixView<const double> a, MatrixView<const double> b,
                         const Marginal& columns);
std::vector<SamplePair> marginal_pairs(MatrixView<const double> a, MatrixView<const double> b,
                                       std::span<const Marginal> marginals);

// C2ST-ddm (Miller et al. 2021): the mean C2ST over the d-dimensional marginals, for every d there
// is among the pairs. values[i] = c2st of pairs[i].
std::map<Index, double> c2st_ddm(std::span<const SamplePair> pairs, std::span<const double> values);

}  // namespace hone
