#pragma once

#include "hone/prior/truncated_prior.h"

// A quantity derived from the parameters is an axis like theirs: its local coordinate is its CDF
// under the truncated prior, learned from draws. Whoever works on axes (grids, sampling, checks)
// need not know which ones are derived.

namespace hone {

// The axes of a region's parameters, then one for each derived quantity of its prior. The marginal
// of each is right; together they are not independent, so that nothing is drawn from it.
// Throws Error{input} if a quantity is not finite in the region, or takes one value so often
// that it has no density.
TruncatedPrior with_derived_axes(const TruncatedPrior& prior);

// Local coordinates of all quantities (n, quantities) for those of the parameters (n, parameters).
Matrix<double> with_derived_columns(const TruncatedPrior& prior, const TruncatedPrior& axes,
                                    MatrixView<const double> local);

// Throws Error{input} if the derived quantities of a prior cannot be inferred: see above.
void check_derived(const Prior& prior);

}  // namespace hone
