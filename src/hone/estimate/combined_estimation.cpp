#include "hone/estimate/combined_estimation.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"
#include "hone/estimate/data_pieces.h"
#include "hone/estimate/estimator_table.h"
#include "hone/estimate/evidence.h"
#include "hone/estimate/factors.h"
#include "hone/estimate/gap_regression.h"
#include "hone/estimate/later_pieces.h"
#include "hone/estimate/likelihood_estimator.h"
#include "hone/estimate/ratio_estimator.h"
#include "hone/estimate/regression_likelihood.h"
#include "hone/estimate/telling_columns.h"
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

const EstimatorKind& likelihood_of(const Dataset& data) {
  return elements_of(data.description, data.x->cols()).apart() ? element_likelihood_estimation()
                                                               : likelihood_estimation();
}

// Other estimators see the data themselves: nobody has chosen an embedding.
bool may_combine(const InferenceOptions& options) {
  const EmbeddingKind embedding = options.embedding.kind;
  return options.estimators == Estimators::evidence &&
         (embedding == EmbeddingKind::none || embedding == EmbeddingKind::automatic);
}

bool may_learn_densities(const InferenceOptions& options, const Prior& prior,
                         const DataSize& data) {
  const auto discrete = [](const Parameter& one) { return one.distribution->discrete(); };
  return may_combine(options) && data.rows <= kMostCombinedRows &&
         std::ranges::none_of(prior.parameters(), discrete);
}

// Elements that a simulator leaves out have no density, and need none. If they are taken away at
// random, those that are there change from epoch to epoch.
bool elements_change(const DataDescription& data) {
  return std::ranges::any_of(
      data.blocks(), [](const DataBlock& block) { return block.missing == Missing::random; });
}

// A density that all elements of a set share, or all steps of a series.
bool may_learn_piece(const DataPieces& pieces) {
  return pieces.step() <= kMostChannels && pieces.total() <= kMostPieceValues;
}

// Few columns of many depend on the parameters. Places in a series or an image all do a little.
bool has_few_telling_columns(const Dataset& data) {
  const auto is_vector = [](const DataBlock& block) { return block.kind == DataKind::vector; };
  const Index columns = data.x->cols();
  if (data.description.has_missing() || columns <= kMostCombinedColumns ||
      columns > kMostScreenedColumns ||
      !std::ranges::all_of(data.description.blocks(), is_vector)) {
    return false;
  }
  const Index telling = std::ssize(telling_columns(data));
  return telling > 0 && telling <= kMostCombinedColumns;
}

std::vector<Candidate> candidates(const EstimationRequest& request) {
  std::vector<Candidate> result{{&ratio_estimation(), request.ensemble, request.options}};
  InferenceOptions options = request.options;
  options.embedding = {};
  const DataSize size = data_size(request.data);
  const auto add = [&](const EstimatorKind& likelihood) {
    result.push_back({&likelihood, likelihood.fit(options, size).ensemble, options});
  };
  const Prior& prior = request.data.prior.prior();
  if (may_have_likelihood(request.options, prior, size)) add(likelihood_of(request.data));
  if (may_learn_densities(request.options, prior, size) && has_few_telling_columns(request.data)) {
    add(column_likelihood_estimation());
  }
  if (may_have_transitions(request.options, prior, size)) add(transition_likelihood_estimation());
  const bool gaps = request.data.description.has_missing();
  if (may_combine(request.options) && !gaps && may_regress(request.data)) {
    result.push_back({&regression_estimation(), 1, options});
  }
  if (may_combine(request.options) && gaps && may_regress_with_gaps(request.data)) {
    result.push_back({&gap_regression_estimation(), 1, options});
  }
  return result;
}

// In the files of a run.
double number_of(const std::string& estimator) {
  const EstimatorEntry* found = find_estimator_entry(estimator);
  HONE_ASSERT(found != nullptr && found->part);
  return *found->part;
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
      request.observer.log(
          LogLevel::warning,
          "training of the learned likelihood diverged; its weight in the answer is decided "
          "by held-out simulations, as always");
    }
    parts.push_back(std::move(part.posterior));
  }
  if (parts.size() == 1) return {parts[0], std::move(histories)};
  std::vector<double> shares = evidence_shares(parts, held_out(request.data, kMostHeldOut));
  std::vector<double> numbers;
  for (const SharedPosterior& part : parts) numbers.push_back(number_of(part->estimator()));
  return {std::make_shared<const CombinedPosterior>(parts, std::move(shares), std::move(numbers)),
          std::move(histories)};
}

// Old files do not say what their parts are.
std::vector<double> numbers_of_parts(std::span<const NamedArray> arrays) {
  if (std::ranges::find(arrays, CombinedPosterior::kKinds, &NamedArray::name) == arrays.end()) {
    return {0, 1};
  }
  const auto numbers =
      array_values<double>(arrays, CombinedPosterior::kKinds, std::vector<Index>{-1});
  return {numbers.begin(), numbers.end()};
}

SharedPosterior load(const Prior& prior, const Region& region, std::span<const NamedArray> arrays) {
  const auto own = arrays_of_parts(arrays);
  const auto numbers = numbers_of_parts(arrays);
  if (own.size() < 2 || own.size() != numbers.size()) fail_misfit();
  std::vector<SharedPosterior> parts;
  for (std::size_t k = 0; k < own.size(); ++k) {
    const EstimatorKind* kind = reader_of_part(numbers[k]);
    if (kind == nullptr) fail_misfit();
    parts.push_back(kind->load(prior, region, own[k]));
    if (parts[k]->marginals() != parts[0]->marginals() ||
        parts[k]->data_size() != parts[0]->data_size()) {
      fail_misfit();
    }
  }
  const Index marginals = std::ssize(parts[0]->marginals()), count = std::ssize(parts);
  const auto shares = array_values<double>(arrays, "shares", std::vector<Index>{marginals, count});
  for (Index m = 0; m < marginals; ++m) {
    const auto row = shares.subspan(static_cast<std::size_t>(m * count), parts.size());
    double sum = 0;
    for (const double share : row) sum += share >= 0 ? share : std::nan("");
    if (!(std::abs(sum - 1) < 1e-6)) fail_misfit();
  }
  return std::make_shared<const CombinedPosterior>(
      parts, std::vector<double>(shares.begin(), shares.end()), numbers);
}

}  // namespace

bool may_have_likelihood(const InferenceOptions& options, const Prior& prior,
                         const DataSize& data) {
  const DataPieces elements = elements_of(data.data, data.columns);
  return may_learn_densities(options, prior, data) &&
         (elements.apart() ? may_learn_piece(elements) && !elements_change(data.data)
                           : data.columns <= kMostCombinedColumns && !data.data.has_missing());
}

bool may_have_transitions(const InferenceOptions& options, const Prior& prior,
                          const DataSize& data) {
  const DataPieces steps = steps_of(data.data, data.columns);
  return may_learn_densities(options, prior, data) && steps.given > 0 && may_learn_piece(steps) &&
         !data.data.has_missing();
}

const EstimatorKind& combined_estimation() {
  static const EstimatorKind kind{.name = "combined",
                                  .train = train,
                                  .assemble = assemble,
                                  .load = load,
                                  .any_axis = true,
                                  .whole_numbers = true,
                                  .with_likelihoods = true};
  return kind;
}

}  // namespace hone
