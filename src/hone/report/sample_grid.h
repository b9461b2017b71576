#pragma once

#include "hone/posterior/marginal_grid.h"

namespace hone {

// The posterior that samples stand for, on a grid as figures draw it: a Gaussian kernel estimate
// with Silverman's width, between `low` and `high` of each parameter; what leaks over an edge is
// folded back. samples: (n, 1 or 2 parameters), n >= 2; those outside the bounds are left out.
MarginalGrid grid_of_samples(MatrixView<const double> samples, const Marginal& marginal,
                             const std::vector<ThetaInterval>& bounds, Index cells = 100);

}  // namespace hone
