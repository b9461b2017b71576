#pragma once

#include "hone/inference/method.h"

namespace hone {

// Rejection ABC: simulations from the prior, of which the nearest to the observation are kept.
InferenceResult rej_abc(const InferenceRequest& request);

}  // namespace hone
