#pragma once

#include "hone/inference/method.h"

namespace hone {

// Truncated Marginal Neural Ratio Estimation, Algorithm 1 of the paper (docs/algorithm.md lists the
// departures).
InferenceResult tmnre(const InferenceRequest& request);

}  // namespace hone
