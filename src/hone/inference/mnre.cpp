#include "hone/inference/mnre.h"

namespace hone {

InferenceResult mnre(const InferenceRequest& request) {
  const Region whole = Region::whole(request.simulations.prior().dimensions());
  FinalTraining final = train_in_final_region(request, whole, 0);
  return {.posterior = std::move(final.posterior),
          .region = std::move(final.region),
          .rows = final.rows,
          .budget_spent = true};
}

}  // namespace hone
