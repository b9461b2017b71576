#pragma once

#include "hone/estimate/estimator.h"

namespace hone {

// What sequential neural posterior estimation trains: a DensityEstimator of all parameters
// together, from simulations of which the first round follows the prior and the others need not.
// Chains of networks learn by the atomic loss (hone/engine/density_trainer.h); after the first
// round, by maximum likelihood.
const EstimatorKind& atomic_density_estimation();

}  // namespace hone
