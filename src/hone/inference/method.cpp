#include "hone/inference/method.h"

#include <algorithm>

#include "hone/core/error.h"
#include "hone/core/suggestion.h"
#include "hone/inference/gap_regression.h"
#include "hone/inference/likelihood_estimator.h"
#include "hone/inference/regression_likelihood.h"

namespace hone {

Journal& no_journal() {
  static Journal journal;
  return journal;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method& method : method_table()) names.push_back(method.name);
  return names;
}

const Method& find_method(const std::string& name) {
  const auto found = std::ranges::find(method_table(), name, &Method::name);
  if (found != method_table().end()) return *found;
  fail_value("method", fmt::format("'{}'", name),
             "there is no such method; " + suggestion(name, method_names()));
}

const EstimatorKind& find_estimator(const std::string& name) {
  for (const Method& method : method_table()) {
    if (method.estimator().name == name) return method.estimator();
  }
  // Parts of others, which may answer alone for all parameters together.
  for (const EstimatorKind* part : {&likelihood_estimation(), &element_likelihood_estimation(),
                                    &regression_estimation(), &gap_regression_estimation()}) {
    if (part->name == name) return *part;
  }
  throw UnknownVersion(fmt::format("estimator = '{}': this version does not know it", name));
}

FinalTraining train_in_final_region(const InferenceRequest& request, const Region& region,
                                    int rounds) {
  const InferenceOptions& options = request.options;
  Simulations& simulations = request.simulations;
  request.observer.context_changed(fmt::format("final region, prior mass {:.3g}", region.mass()));
  const bool enough = !options.spend_all && simulations.count_inside(region) >= kFewestRows;
  simulations.simulate(region, rounds + 1, enough ? 0 : options.budget - simulations.issued(),
                       request.observer);
  TrainedPosterior posterior = request.journal.final_posterior([&] {
    const Dataset data = simulations.inside(region, options.validation_fraction);
    const EstimatorKind& kind = find_method(options.method).estimator();
    return request.trainer.train(
        kind, {data, request.marginals, kind.fit(options, data_size(data)).ensemble, options,
               request.rng.child("final"), request.observer});
  });
  if (const std::string shares = posterior.posterior->describe_shares(); !shares.empty()) {
    request.observer.log(LogLevel::info, "estimators count by evidence: " + shares);
  }
  Region trained_in = posterior.posterior->prior().region();
  const Index rows = simulations.count_inside(trained_in);
  return {std::move(posterior), std::move(trained_in), rows};
}

Cut no_cut(const Region& region) {
  const std::vector<double> ones(static_cast<std::size_t>(region.dimensions()), 1.0);
  const std::vector<double> zeros(static_cast<std::size_t>(region.dimensions()), 0.0);
  return {.region = region,
          .mass_ratio = 1,
          .axis_ratio = ones,
          .lost_mass = zeros,
          .edge_low = zeros,
          .edge_high = zeros};
}

}  // namespace hone
