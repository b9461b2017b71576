#include "hone/inference/sequential.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"

namespace hone {

std::vector<Index> round_sizes(const InferenceOptions& options, Index budget, Index taken) {
  const auto fraction = std::llround(options.round_fraction * static_cast<double>(budget));
  const Index size = std::max({static_cast<Index>(fraction), options.round_minimum, kFewestRows});
  const auto rounds = std::clamp<Index>(budget / size, 1, options.max_rounds);
  std::vector<Index> sizes;
  Index before = 0;
  for (Index m = 1; m <= rounds; ++m) {
    const Index until = m == rounds ? budget : m * (budget / rounds);
    sizes.push_back(std::clamp<Index>(until - std::max(before, taken), 0, until - before));
    before = until;
  }
  return sizes;
}

void require_independent_parameters(const InferenceRequest& request) {
  if (request.simulations.prior().copula() == nullptr) return;
  fail_value("method", fmt::format("'{}'", request.options.method),
             "cannot be used where parameters are correlated a priori, for its simulations do not "
             "follow the prior; use tmnre, mnre or nre");
}

namespace {

Proposal posterior_proposal(const Region& region, const SharedPosterior& posterior,
                            std::span<const double> observation, const Rng& rng) {
  return {region, [=, x = std::vector<double>(observation.begin(), observation.end())](Index rows) {
            return posterior->joint_samples(x, rows, rng).value();
          }};
}

}  // namespace

InferenceResult propose_from_posteriors(const InferenceRequest& request) {
  require_independent_parameters(request);
  const InferenceOptions& options = request.options;
  Simulations& simulations = request.simulations;
  const EstimatorKind& kind = find_method(options.method).estimator();
  const Region whole = Region::whole(simulations.prior().dimensions());
  const std::vector<Index> sizes = round_sizes(options, options.budget, simulations.issued());
  const auto train = [&](const Rng& rng) {
    const Dataset data = simulations.inside(whole, options.validation_fraction);
    const InferenceOptions used = kind.fit(options, data_size(data));
    return std::pair(request.trainer.train(kind, {data, request.marginals, used.ensemble, options,
                                                  rng, request.observer}),
                     fitted_options(used, used.ensemble, data.description));
  };

  std::vector<Round> rounds;
  Proposal proposal = whole;
  for (std::size_t m = 0; m + 1 < sizes.size(); ++m) {
    const int number = static_cast<int>(m) + 1;
    const auto index = static_cast<std::uint64_t>(number);
    const Index kept = simulations.count_inside(whole);
    request.observer.context_changed(fmt::format("round {} of {}", number, sizes.size()));
    simulations.simulate(proposal, number, sizes[m], request.observer);
    rounds.push_back(request.journal.round(number, [&] {
      auto [trained, used] = train(request.rng.child("round", index));
      return Round{.number = number,
                   .region = whole,
                   .kept = kept,
                   .simulated = sizes[m],
                   .cut = no_cut(whole),
                   .training = std::move(trained.histories),
                   .networks = std::move(trained.posterior),
                   .estimator = kind.name,
                   .used = used};
    }));
    stop_if_requested(request.observer);
    proposal = posterior_proposal(whole, request.journal.networks(rounds.back()),
                                  request.observation, request.rng.child("proposal", index));
    request.observer.log(LogLevel::info, fmt::format("round {} of {}: {} kept + {} new simulations",
                                                     number, sizes.size(), kept, sizes[m]));
  }

  const int last = static_cast<int>(sizes.size());
  request.observer.context_changed(fmt::format("round {} of {}", last, last));
  simulations.simulate(proposal, last, sizes.back(), request.observer);
  TrainedPosterior posterior =
      request.journal.final_posterior([&] { return train(request.rng.child("final")).first; });
  const Index rows = simulations.count_inside(whole);
  return {.posterior = std::move(posterior),
          .rounds = std::move(rounds),
          .region = whole,
          .rows = rows,
          .budget_spent = true};
}

}  // namespace hone
