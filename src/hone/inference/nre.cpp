#include "hone/inference/nre.h"

#include "hone/inference/mnre.h"
#include "hone/inference/sequential.h"

namespace hone {

// As MNRE; its kind of estimator makes the difference.
InferenceResult nre(const InferenceRequest& request) {
  return mnre(request);
}

// Simulations of all rounds are drawn from some mixture q(theta) of prior and posteriors. Positives
// are pairs of q(theta) p(x | theta), negatives of q(theta) q(x): what the networks learn is
// p(x | theta) / q(x), whatever q is, and the prior times it is the posterior.
InferenceResult snre(const InferenceRequest& request) {
  return propose_from_posteriors(request);
}

}  // namespace hone
