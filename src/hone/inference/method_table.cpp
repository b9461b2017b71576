#include "hone/inference/method.h"
#include "hone/inference/mnre.h"
#include "hone/inference/ratio_estimator.h"
#include "hone/inference/tmnre.h"

namespace hone {

const std::vector<Method>& method_table() {
  static const std::vector<Method> table{
      {.name = "tmnre",
       .title = "TMNRE",
       .summary =
           "Cuts the prior in rounds to where the posterior can be, then trains all marginals "
           "there",
       .option_groups = {"Algorithm", "Rounds", "Truncation", "Networks", "Shared embedding",
                         "Training"},
       .estimator = ratio_estimation,
       .infer = tmnre},
      {.name = "mnre",
       .title = "MNRE",
       .summary = "Trains all marginals once, on simulations from the whole prior",
       .option_groups = {"Algorithm", "Networks", "Shared embedding", "Training"},
       .estimator = ratio_estimation,
       .infer = mnre},
  };
  return table;
}

}  // namespace hone
