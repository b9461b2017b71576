#include "hone/inference/smnre.h"

#include <algorithm>

#include "hone/core/error.h"
#include "hone/estimate/ratio_estimator.h"
#include "hone/inference/sequential.h"
#include "hone/posterior/parts_posterior.h"
#include "hone/posterior/sampling.h"

namespace hone {
namespace {

void refuse_what_cannot_be(const InferenceRequest& request) {
  const Simulations& simulations = request.simulations;
  require_independent_parameters(request);
  if (simulations.issued() > 0) {
    fail_value("method", "'smnre'",
               "cannot use simulations that were made before, for each of its marginals needs its "
               "own; use tmnre, mnre or nre");
  }
  const Index marginals = std::ssize(request.marginals), share = request.options.budget / marginals;
  if (share >= kFewestRows) return;
  fail_value("budget", request.options.budget,
             fmt::format("smnre shares it over {} marginals, which need {} simulations each: at "
                         "least {} in all, or ask for fewer marginals",
                         marginals, kFewestRows, marginals * kFewestRows));
}

// One marginal after the other, with simulation numbers of its own.
class MarginalRounds {
 public:
  explicit MarginalRounds(const InferenceRequest& request)
      : request_(request),
        whole_(Region::whole(request.simulations.prior().dimensions())),
        prior_(request.simulations.prior(), whole_) {}

  // The networks of its last round.
  SharedPosterior infer(const Marginal& marginal, Index budget) {
    const Index first = request_.simulations.issued();
    Proposal proposal = whole_;
    SharedPosterior networks;
    for (const Index size : round_sizes(request_.options, budget)) {
      const int number = static_cast<int>(rounds_.size()) + 1;
      request_.observer.context_changed(fmt::format(
          "{}, round {}", marginal_name(marginal, request_.simulations.prior().names()), number));
      request_.simulations.simulate(proposal, number, size, request_.observer);
      rounds_.push_back(
          request_.journal.round(number, [&] { return train(marginal, number, size, first); }));
      stop_if_requested(request_.observer);
      networks = request_.journal.networks(rounds_.back());
      proposal = posterior_of(marginal, networks,
                              request_.rng.child("proposal", static_cast<std::uint64_t>(number)));
    }
    return networks;
  }

  std::vector<Round> take_rounds() { return std::move(rounds_); }

 private:
  Round train(const Marginal& marginal, int number, Index size, Index first) const {
    const InferenceOptions& options = request_.options;
    const Dataset data = request_.simulations.inside(whole_, options.validation_fraction, first);
    // As many networks for each marginal, whatever became of its simulations.
    const Index share = options.budget / std::ssize(request_.marginals);
    InferenceOptions used = fitted(options, data_size(data));
    used.ensemble = fitted(options, {share, share, data.x->cols()}).ensemble;
    const std::vector<Marginal> one{marginal};
    TrainedPosterior trained = request_.trainer.train(
        ratio_estimation(),
        {data, one, used.ensemble, options,
         request_.rng.child("round", static_cast<std::uint64_t>(number)), request_.observer});
    return Round{.number = number,
                 .region = whole_,
                 .kept = data.issued - first - size,
                 .simulated = size,
                 .cut = no_cut(whole_),
                 .training = std::move(trained.histories),
                 .networks = std::move(trained.posterior),
                 .used = fitted_options(used, used.ensemble, data.description)};
  }

  Proposal posterior_of(const Marginal& marginal, const SharedPosterior& networks,
                        const Rng& rng) const {
    return {whole_, [=, this,
                     x = std::vector<double>(request_.observation.begin(),
                                             request_.observation.end())](Index rows) {
              Matrix<double> theta = prior_.sample(rows, rng.child("others")).theta;
              const PosteriorSamples samples = sample_posterior(
                  MarginalPosterior(*networks, marginal, x), rows, rng.child("marginal"));
              for (Index i = 0; i < rows; ++i) {
                for (std::size_t j = 0; j < marginal.size(); ++j) {
                  theta(i, marginal[j]) = samples.theta(i, static_cast<Index>(j));
                }
              }
              return theta;
            }};
  }

  const InferenceRequest& request_;
  Region whole_;
  TruncatedPrior prior_;
  std::vector<Round> rounds_;
};

}  // namespace

InferenceResult smnre(const InferenceRequest& request) {
  refuse_what_cannot_be(request);
  const Index marginals = std::ssize(request.marginals), budget = request.options.budget;
  MarginalRounds rounds(request);
  std::vector<SharedPosterior> parts;
  for (Index k = 0; k < marginals; ++k) {
    const Index share = budget / marginals + (k < budget % marginals ? 1 : 0);
    parts.push_back(rounds.infer(request.marginals[static_cast<std::size_t>(k)], share));
  }
  std::vector<Round> history = rounds.take_rounds();
  TrainedPosterior posterior = request.journal.final_posterior([&] {
    TrainedPosterior all{std::make_shared<const PartsPosterior>(std::move(parts))};
    for (std::size_t i = 0; i < history.size(); ++i) {
      // The last round of each marginal: the next one begins with nothing kept.
      const bool last = i + 1 == history.size() || history[i + 1].kept == 0;
      if (!last) continue;
      const auto& training = history[i].training;
      all.histories.insert(all.histories.end(), training.begin(), training.end());
    }
    return all;
  });
  stop_if_requested(request.observer);
  const Region whole = Region::whole(request.simulations.prior().dimensions());
  const Index rows = request.simulations.count_inside(whole);
  return {.posterior = std::move(posterior),
          .rounds = std::move(history),
          .region = whole,
          .rows = rows,
          .budget_spent = true};
}

}  // namespace hone
