#pragma once

#include "hone/estimate/estimator.h"

// Kinds whose posteriors a method makes by itself: they only read them back from a file.

namespace hone {

// Weighted samples (posterior/sample_posterior.h), as methods of ABC and MCMC leave them.
const EstimatorKind& sample_estimation();

// Ratio networks of one marginal each, with simulations of their own (posterior/parts_posterior.h).
const EstimatorKind& ratio_parts_estimation();

}  // namespace hone
