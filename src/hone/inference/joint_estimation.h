#pragma once

#include "hone/inference/estimator.h"

namespace hone {

// Networks of all parameters together, of which every marginal is a projection
// (hone/posterior/joint_posterior.h): the ratio p(x | theta) / p(x).
const EstimatorKind& joint_ratio_estimation();

}  // namespace hone
