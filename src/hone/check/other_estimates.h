#pragma once

#include <span>
#include <string>
#include <vector>

#include "hone/check/checks.h"
#include "hone/check/draws.h"
#include "hone/check/rivals.h"
#include "hone/check/run_draws.h"
#include "hone/core/rng.h"
#include "hone/posterior/amortized_posterior.h"

namespace hone {

// The 1-d marginals of a posterior, with their values at the observation, and with what each
// estimator says alone where several answer together. ranks: of all marginals of the run.
std::vector<ComparedPosterior> compared_posteriors(const std::vector<MarginalRanks>& ranks,
                                                   const AmortizedPosterior& estimator,
                                                   const Correction& correction,
                                                   std::span<const double> observation,
                                                   const std::vector<std::string>& names);

// Holds these posteriors against other estimates from the same simulations: adds the checks
// second_opinion and sharpness, where there are enough draws for them.
void check_against_others(Checks& checks, std::vector<ComparedPosterior> posteriors,
                          const RunDraws& draws, const RunSpec& spec, const Rng& rng);

}  // namespace hone
