#pragma once

#include "hone/inference/method.h"

namespace hone {

// How sequential methods go: rounds of equal size (round_fraction of the budget, at least
// round_minimum), the first from the prior, every other from the joint posterior of the round
// before, at the observation. Each trains on all simulations so far. The last round, which spends
// what is left, gives the posterior.
//
// The kind of estimator that the method names must be right for simulations that do not follow the
// prior. Error{input} if parameters are correlated a priori: negatives then stand for the prior,
// and the prior's own density is not learned.
InferenceResult propose_from_posteriors(const InferenceRequest& request);

void require_independent_parameters(const InferenceRequest& request);

// Simulations of each round, in order; together the budget. `taken`: those that are there already.
std::vector<Index> round_sizes(const InferenceOptions& options, Index budget, Index taken = 0);

}  // namespace hone
