#pragma once

#include "hone/inference/method.h"

namespace hone {

// Neural Likelihood Estimation: the density of the data given the parameters, from which posteriors
// follow by Bayes' rule. From simulations of the whole prior, and from a prior that is truncated in
// rounds.
InferenceResult nle(const InferenceRequest& request);
InferenceResult tnle(const InferenceRequest& request);

// In rounds, each of which simulates at parameters drawn from the posterior of the round before.
InferenceResult snle(const InferenceRequest& request);

}  // namespace hone
