#pragma once

#include "hone/inference/method.h"

namespace hone {

// Sequential Marginal Neural Ratio Estimation, as the paper compares with: each marginal has its
// own share of the budget and its own rounds, which simulate at draws from its posterior of the
// round before; the other parameters come from the prior.
InferenceResult smnre(const InferenceRequest& request);

}  // namespace hone
