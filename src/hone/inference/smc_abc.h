#pragma once

#include "hone/inference/method.h"

namespace hone {

// Sequential Monte Carlo ABC (Beaumont et al. 2009): populations of parameters, each nearer to the
// observation than the one before, each simulated from the one before.
InferenceResult smc_abc(const InferenceRequest& request);

}  // namespace hone
