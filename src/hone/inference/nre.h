#pragma once

#include "hone/inference/method.h"

namespace hone {

// Neural Ratio Estimation: one ratio of all parameters together, learned once on simulations from
// the whole prior. Marginals are projections of it.
InferenceResult nre(const InferenceRequest& request);

// Sequential Neural Ratio Estimation: the same in rounds, each of which simulates at parameters
// drawn from the posterior of the round before.
InferenceResult snre(const InferenceRequest& request);

}  // namespace hone
