#include "hone/estimate/combined_estimation.h"
#include "hone/estimate/density_estimator.h"
#include "hone/estimate/joint_estimation.h"
#include "hone/estimate/likelihood_estimator.h"
#include "hone/estimate/ratio_estimator.h"
#include "hone/estimate/read_only_estimation.h"
#include "hone/inference/abc.h"
#include "hone/inference/mcmc.h"
#include "hone/inference/method.h"
#include "hone/inference/mnre.h"
#include "hone/inference/nle.h"
#include "hone/inference/npe.h"
#include "hone/inference/nre.h"
#include "hone/inference/rej_abc.h"
#include "hone/inference/smc_abc.h"
#include "hone/inference/smnre.h"
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
                         "Training", "Densities"},
       .estimator = combined_estimation,
       .infer = tmnre},
      {.name = "mnre",
       .title = "MNRE",
       .summary = "Trains all marginals once, on simulations from the whole prior",
       .option_groups = {"Algorithm", "Networks", "Shared embedding", "Training"},
       .estimator = ratio_estimation,
       .infer = mnre},
      {.name = "npe",
       .title = "NPE",
       .summary = "Learns the densities of all marginals once, on simulations from the whole prior",
       .option_groups = {"Algorithm", "Networks", "Shared embedding", "Training", "Densities"},
       .estimator = density_estimation,
       .infer = npe},
      {.name = "tnpe",
       .title = "TNPE",
       .summary = "NPE in a prior that is cut in rounds to where the posterior can be",
       .option_groups = {"Algorithm", "Rounds", "Truncation", "Networks", "Shared embedding",
                         "Training", "Densities"},
       .estimator = density_estimation,
       .infer = tnpe},
      {.name = "snpe",
       .title = "SNPE",
       .summary = "Learns the density of the joint posterior in rounds, each of which simulates "
                  "from the posterior of the one before",
       .option_groups = {"Algorithm", "Rounds", "Networks", "Shared embedding", "Training",
                         "Densities"},
       .estimator = joint_density_estimation,
       .infer = snpe,
       .amortized = false},
      {.name = "nle",
       .title = "NLE",
       .summary = "Learns the likelihood of the data, on simulations from the whole prior",
       .option_groups = {"Algorithm", "Networks", "Training", "Densities"},
       .estimator = likelihood_estimation,
       .infer = nle},
      {.name = "tnle",
       .title = "TNLE",
       .summary = "NLE in a prior that is cut in rounds to where the posterior can be",
       .option_groups = {"Algorithm", "Rounds", "Truncation", "Networks", "Training", "Densities"},
       .estimator = likelihood_estimation,
       .infer = tnle},
      {.name = "snle",
       .title = "SNLE",
       .summary = "Learns the likelihood in rounds, each of which simulates from the posterior of "
                  "the one before",
       .option_groups = {"Algorithm", "Rounds", "Networks", "Training", "Densities"},
       .estimator = joint_likelihood_estimation,
       .infer = snle,
       .amortized = false},
      {.name = "nre",
       .title = "NRE",
       .summary =
           "Trains the joint posterior of all parameters once, on simulations from the whole prior",
       .option_groups = {"Algorithm", "Networks", "Shared embedding", "Training"},
       .estimator = joint_ratio_estimation,
       .infer = nre},
      {.name = "snre",
       .title = "SNRE",
       .summary = "Trains the joint posterior in rounds, each of which simulates from the "
                  "posterior of the "
                  "one before",
       .option_groups = {"Algorithm", "Rounds", "Networks", "Shared embedding", "Training"},
       .estimator = joint_ratio_estimation,
       .infer = snre,
       .amortized = false},
      {.name = "smnre",
       .title = "SMNRE",
       .summary =
           "Trains each marginal in rounds of its own, which simulate from its own posterior",
       .option_groups = {"Algorithm", "Rounds", "Networks", "Shared embedding", "Training"},
       .estimator = ratio_parts_estimation,
       .infer = smnre,
       .amortized = false},
      {.name = "rej_abc",
       .title = "REJ-ABC",
       .summary = "Keeps the simulations from the prior whose data are nearest to the observation",
       .option_groups = {"Algorithm", "Approximate Bayesian computation"},
       .estimator = sample_estimation,
       .infer = rej_abc,
       .amortized = false},
      {.name = "smc_abc",
       .title = "SMC-ABC",
       .summary = "Simulates around the nearest simulations again and again, ever nearer to the "
                  "observation",
       .option_groups = {"Algorithm", "Approximate Bayesian computation"},
       .estimator = sample_estimation,
       .infer = smc_abc,
       .amortized = false},
      {.name = "mcmc",
       .title = "MCMC",
       .summary = "Markov chains with the exact likelihood, for built-in tasks that have one",
       .option_groups = {"Algorithm"},
       .estimator = sample_estimation,
       .infer = mcmc,
       .amortized = false,
       .needs_likelihood = true},
  };
  return table;
}

}  // namespace hone
