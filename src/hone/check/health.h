#pragma once

#include <span>
#include <string>
#include <vector>

#include "hone/check/checks.h"
#include "hone/posterior/amortized_posterior.h"

// Is the estimator in order, whatever the data? Training curves; and at the observation, do the
// networks of an ensemble agree, and do 2-d posteriors agree with 1-d ones?

namespace hone {

// The validation loss of networks that know nothing.
double chance_loss(const TrainingOptions& options);

// Histories marginal by marginal, `ensemble` of each.
std::vector<TrainingHealth> training_health(const std::vector<std::string>& marginals,
                                            const std::vector<MemberHistory>& histories,
                                            double chance);
CheckResult training_result(const std::vector<TrainingHealth>& health);

// What the posteriors at the observation say about each other; for marginals of one and two
// parameters.
struct Agreement {
  std::vector<EnsembleSpread> ensembles;
  std::vector<ProjectionCheck> projections;
  std::vector<SamplingCheck> sampling;
};
Agreement compare_posteriors(const AmortizedPosterior& estimator,
                             std::span<const double> observation);

CheckResult ensemble_result(const std::vector<EnsembleSpread>& spreads);
CheckResult projection_result(const std::vector<ProjectionCheck>& projections);
CheckResult sampling_result(const std::vector<SamplingCheck>& sampling);

}  // namespace hone
