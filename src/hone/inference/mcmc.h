#pragma once

#include "hone/inference/method.h"

namespace hone {

// Markov chain Monte Carlo with the exact likelihood, where a task has one: no simulations, no
// networks. Tempered sampling finds all modes, an ensemble of walkers starts from there and goes on
// until the chains agree (split R-hat below 1.02 for each parameter) and are worth 1,000
// independent draws. Error{numerical} if they do not come to agree.
InferenceResult mcmc(const InferenceRequest& request);

}  // namespace hone
