#pragma once

#include "hone/inference/method.h"

namespace hone {

// Marginal Neural Ratio Estimation: no rounds, everything happens in the whole prior.
InferenceResult mnre(const InferenceRequest& request);

}  // namespace hone
