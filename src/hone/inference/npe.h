#pragma once

#include "hone/inference/method.h"

namespace hone {

// Neural Posterior Estimation: densities of the posterior itself, by maximum likelihood. From
// simulations of the whole prior, and from a prior that is truncated in rounds.
InferenceResult npe(const InferenceRequest& request);
InferenceResult tnpe(const InferenceRequest& request);

// SNPE-C: in rounds, each of which simulates at parameters drawn from the posterior of the round
// before. The atomic loss (atomic_estimation.h) accounts for where they were drawn from.
InferenceResult snpe(const InferenceRequest& request);

}  // namespace hone
