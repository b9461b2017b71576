#include "hone/inference/nle.h"

#include "hone/estimate/likelihood_estimator.h"
#include "hone/inference/mnre.h"
#include "hone/inference/sequential.h"
#include "hone/inference/tmnre.h"

namespace hone {

// As MNRE; which estimator is trained, the method table says.
InferenceResult nle(const InferenceRequest& request) {
  return mnre(request);
}

InferenceResult tnle(const InferenceRequest& request) {
  return truncate_in_rounds(request, likelihood_estimation());
}

// The likelihood p(x | theta) is the same wherever parameters were drawn from: simulations of all
// rounds teach it without a correction, and the prior times it is the posterior.
InferenceResult snle(const InferenceRequest& request) {
  return propose_from_posteriors(request);
}

}  // namespace hone
