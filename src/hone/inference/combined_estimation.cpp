#include "hone/inference/combined_estimation.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"
#include "hone/inference/evidence.h"
#include "hone/inference/factors.h"
#include "hone/inference/later_pieces.h"
#include "hone/inference/likelihood_estimator.h"
#include "hone/inference/ratio_estimator.h"
#include "hone/inference/set_elements.h"
#include "hone/posterior/combined_posterior.h"

namespace hone {
namespace {

// Held-out simulations that are asked at most.
constexpr Index kMostHeldOut = 256;

// An estimator of the combination, how many networks it has per marginal, and its options.
struct Candidate {
  const EstimatorKind* kind;
  int ensemble;
  InferenceOptions options;
};

// How many densities the likelihood of a simulation is a product of. Those of a set's first column
// are all the same.
Index densities_of_data(const DataSize& data) {
  const Index elements = element_count(data.data), columns = data.columns / elements;
  return 1 + elements * (columns - 1);
}

const EstimatorKind& likelihood_of(const Dataset& data) {
  return element_count(data.description) > 1 ? element_likelihood_estimation()
                                             : likelihood_estimation();
}

std::vector<Candidate> candidates(const EstimationRequest& request) {
  std::vector<Candidate> result{{&ratio_estimation(), request.ensemble, request.options}};
  if (!may_have_likelihood(request.options, request.data.prior.prior(), data_size(request.data))) {
    return result;
  }
  const EstimatorKind& likelihood = likelihood_of(request.data);
  InferenceOptions options = request.options;
  options.embedding = {};
  const int ensemble = likelihood.fit(options, data_size(request.data)).ensemble;
  result.push_back({&likelihood, ensemble, std::move(options)});
  return result;
}

// Ratio networks are the same whether they answer alone or not. The candidate must outlive it.
EstimationRequest request_of(const EstimationRequest& request, const Candidate& candidate) {
  const bool first = candidate.kind == &ratio_estimation();
  return {request.data,
          request.marginals,
          candidate.ensemble,
          candidate.options,
          first ? request.rng : request.rng.child(candidate.kind->name),
          request.observer};
}

class CombinedNetworks final : public TrainedNetworks {
 public:
  Index size() const override {
    Index all = 0;
    for (const auto& part : parts) all += part->size();
    return all;
  }
  std::span<float> parameters(Index member) override {
    std::size_t k = 0;
    for (; member >= parts[k]->size(); ++k) member -= parts[k]->size();
    return parts[k]->parameters(member);
  }
  void add(std::unique_ptr<TrainedNetworks> part) {
    histories.insert(histories.end(), part->histories.begin(), part->histories.end());
    parts.push_back(std::move(part));
  }
  // What another process has trained is in `histories` alone.
  void hand_out_histories() {
    auto from = histories.begin();
    for (const auto& part : parts) {
      const auto end = from + std::ssize(part->histories);
      part->histories.assign(from, end);
      from = end;
    }
  }

  std::vector<std::unique_ptr<TrainedNetworks>> parts;
};

std::unique_ptr<TrainedNetworks> train(const EstimationRequest& request, ProcessGroup& group) {
  auto networks = std::make_unique<CombinedNetworks>();
  for (const Candidate& candidate : candidates(request)) {
    const EstimationRequest own = request_of(request, candidate);
    LaterPieces later(group, networks->size());
    const bool first = networks->parts.empty();  // with its exchange, for an embedding
    networks->add(candidate.kind->train(own, first ? group : later));
  }
  return networks;
}

bool is_diverged(const MemberHistory& history) {
  return history.stop == StopReason::diverged;
}

TrainedPosterior assemble(const EstimationRequest& request,
                          std::unique_ptr<TrainedNetworks> networks) {
  auto& trained = static_cast<CombinedNetworks&>(*networks);
  trained.hand_out_histories();
  std::vector<SharedPosterior> parts;
  std::vector<MemberHistory> histories;
  const std::vector<Candidate> all = candidates(request);
  for (std::size_t k = 0; k < all.size(); ++k) {
    TrainedPosterior part =
        all[k].kind->assemble(request_of(request, all[k]), std::move(trained.parts[k]));
    if (k == 0) {
      histories = std::move(part.histories);
    } else if (std::ranges::any_of(part.histories, is_diverged)) {
      request.observer.log(LogLevel::warning,
                           "networks of the likelihood diverged; they count by what they predict");
    }
    parts.push_back(std::move(part.posterior));
  }
  if (parts.size() == 1) return {parts[0], std::move(histories)};
  std::vector<double> shares = evidence_shares(parts, held_out(request.data, kMostHeldOut));
  return {std::make_shared<const CombinedPosterior>(parts, std::move(shares)),
          std::move(histories)};
}

SharedPosterior load(const Prior& prior, const Region& region, std::span<const NamedArray> arrays) {
  const auto own = arrays_of_parts(arrays);
  if (own.size() != 2) fail_misfit();
  const std::vector<SharedPosterior> parts{ratio_estimation().load(prior, region, own[0]),
                                           likelihood_estimation().load(prior, region, own[1])};
  const Index marginals = std::ssize(parts[0]->marginals());
  if (parts[0]->marginals() != parts[1]->marginals() ||
      parts[0]->data_size() != parts[1]->data_size()) {
    fail_misfit();
  }
  const auto shares = array_values<double>(arrays, "shares", std::vector<Index>{marginals, 2});
  for (Index m = 0; m < marginals; ++m) {
    const auto pair = shares.subspan(static_cast<std::size_t>(2 * m), 2);
    if (!(pair[0] >= 0 && pair[1] >= 0 && std::abs(pair[0] + pair[1] - 1) < 1e-6)) fail_misfit();
  }
  return std::make_shared<const CombinedPosterior>(
      parts, std::vector<double>(shares.begin(), shares.end()));
}

}  // namespace

bool may_have_likelihood(const InferenceOptions& options, const Prior& prior,
                         const DataSize& data) {
  const EmbeddingKind embedding = options.embedding.kind;
  const auto discrete = [](const Parameter& one) { return one.distribution->discrete(); };
  return options.estimators == Estimators::evidence &&
         densities_of_data(data) <= kMostCombinedColumns && data.rows <= kMostCombinedRows &&
         (embedding == EmbeddingKind::none || embedding == EmbeddingKind::automatic) &&
         std::ranges::none_of(prior.parameters(), discrete);
}

const EstimatorKind& combined_estimation() {
  static const EstimatorKind kind{.name = "combined",
                                  .train = train,
                                  .assemble = assemble,
                                  .load = load,
                                  .any_axis = true,
                                  .whole_numbers = true};
  return kind;
}

}  // namespace hone
