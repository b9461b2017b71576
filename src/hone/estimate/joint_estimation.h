#pragma once

#include "hone/estimate/estimator.h"

namespace hone {

// Networks of all parameters together, of which every marginal is a projection
// (hone/posterior/joint_posterior.h): the ratio p(x | theta) / p(x), the density p(theta | x) from
// simulations that need not follow the prior, or the likelihood p(x | theta).
const EstimatorKind& joint_ratio_estimation();
const EstimatorKind& joint_density_estimation();
const EstimatorKind& joint_likelihood_estimation();

}  // namespace hone
