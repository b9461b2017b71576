#include "hone/inference/method.h"

#include <algorithm>

#include "hone/core/error.h"
#include "hone/core/suggestion.h"
#include "hone/estimate/encoder_choice.h"
#include "hone/estimate/estimator_table.h"
#include "hone/estimate/likelihood_estimator.h"
#include "hone/estimate/regression_likelihood.h"

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
  if (const EstimatorEntry* found = find_estimator_entry(name)) return found->kind();
  throw UnknownVersion(fmt::format("estimator = '{}': this version does not know it", name));
}

std::string describe_embedding(const InferenceOptions& options, const DataSize& data) {
  const auto& groups = find_method(options.method).option_groups;
  if (std::ranges::find(groups, "Shared embedding") == groups.end()) return "";
  const EmbeddingOptions chosen = chosen_embedding(options, data);
  return chosen.kind == EmbeddingKind::none ? "" : describe(chosen, data.data);
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
    request.observer.log(LogLevel::info,
                         "weights of the estimators, from held-out simulations: " + shares);
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
