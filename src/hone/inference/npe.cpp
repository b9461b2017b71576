#include "hone/inference/npe.h"

#include "hone/estimate/density_estimator.h"
#include "hone/inference/mnre.h"
#include "hone/inference/sequential.h"
#include "hone/inference/tmnre.h"

namespace hone {

// As MNRE; which estimator is trained, the method table says.
InferenceResult npe(const InferenceRequest& request) {
  return mnre(request);
}

InferenceResult tnpe(const InferenceRequest& request) {
  return truncate_in_rounds(request, density_estimation());
}

InferenceResult snpe(const InferenceRequest& request) {
  return propose_from_posteriors(request);
}

}  // namespace hone
