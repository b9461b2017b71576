#pragma once

#include "hone/inference/method.h"

namespace hone {

// Truncated Marginal Neural Ratio Estimation, Algorithm 1 of the paper (docs/algorithm.md lists the
// departures).
InferenceResult tmnre(const InferenceRequest& request);

// The same algorithm with what another kind of estimator says about one parameter at a time.
// Simulations come from the prior inside a region, so that no kind needs a correction for them.
InferenceResult truncate_in_rounds(const InferenceRequest& request, const EstimatorKind& kind);

}  // namespace hone
