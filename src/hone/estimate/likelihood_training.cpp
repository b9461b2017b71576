// How a LikelihoodEstimator is trained, put together and read back.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "hone/core/error.h"
#include "hone/estimate/density_estimator.h"
#include "hone/estimate/factors.h"
#include "hone/estimate/later_pieces.h"
#include "hone/estimate/likelihood_estimator.h"
#include "hone/estimate/network_coordinates.h"
#include "hone/estimate/piece_summaries.h"
#include "hone/estimate/piece_training.h"
#include "hone/estimate/ratio_estimator.h"
#include "hone/estimate/telling_columns.h"
#include "hone/posterior/sample_posterior.h"

namespace hone {
namespace {

constexpr int kSelectionNetworks = 2;

class TrainedLikelihood final : public TrainedNetworks {
 public:
  explicit TrainedLikelihood(LikelihoodNetworks trained) : networks(std::move(trained)) {}
  Index size() const override {
    return networks.likelihood.densities() + (networks.first ? networks.first->densities() : 0) +
           (networks.proposal ? networks.proposal->size() : 0) +
           (networks.selection ? networks.selection->size() : 0);
  }
  std::span<float> parameters(Index member) override {
    if (member < networks.likelihood.densities()) {
      return networks.likelihood.density_parameters(member);
    }
    member -= networks.likelihood.densities();
    if (networks.first && member < networks.first->densities()) {
      return networks.first->density_parameters(member);
    }
    member -= networks.first ? networks.first->densities() : 0;
    if (networks.proposal && member < networks.proposal->size()) {
      return networks.proposal->parameters(member);
    }
    return networks.selection->parameters(member -
                                          (networks.proposal ? networks.proposal->size() : 0));
  }

  LikelihoodNetworks networks;
};

// Simulations that failed, and parameters that are not uniform in local coordinates, leave more
// rows of theta than of data.
bool needs_selection(const Dataset& data) {
  return data.theta.rows() > data.rows();
}
bool needs_proposal(const EstimationRequest& request) {
  return std::ranges::any_of(request.marginals, [&](const Marginal& marginal) {
    return std::ssize(marginal) < request.data.prior.dimensions();
  });
}

// A ratio of theta alone: the data are a constant, which tells nothing.
TrainingResult train_selection(const EstimationRequest& request, const InferenceOptions& options,
                               ProcessGroup& group) {
  const Dataset& data = request.data;
  const Matrix<float> theta =
      network_coordinates(data.prior, all_parameters(data.prior), data.theta);
  const Matrix<float> nothing(data.rows(), 1);
  std::vector<MemberSpec> members;
  members.reserve(kSelectionNetworks);
  for (int e = 0; e < kSelectionNetworks; ++e) {
    members.push_back({all_parameters(data.prior), static_cast<std::uint64_t>(e)});
  }
  TrainingOptions training = fitted(request.options, data_size(data)).training;
  training.column_shrinkage = 0;
  return train({MatrixRows(nothing), theta, data.training, data.validation, data.training_negatives,
                data.validation_negatives},
               std::move(members), options.network, {}, training, request.rng.child("selection"),
               request.observer, group);
}

// Its networks see the data themselves, as those do that propose draws.
InferenceOptions without_embedding(InferenceOptions options) {
  options.embedding = {};
  return options;
}

// Draws are proposed parameter by parameter (proposal_draws.h).
DensityResult train_proposal(const EstimationRequest& request, const LikelihoodNetworks& networks,
                             ProcessGroup& group) {
  InferenceOptions options = request.options;
  options.density.transforms = 1;
  const EstimationRequest own{request.data, request.marginals, request.ensemble,
                              options,      request.rng,       request.observer};
  const auto factors = prefixes(all_parameters(request.data.prior));
  const Rng rng = request.rng.child("proposal");
  if (!networks.pieces.apart()) {
    return train_posterior_factors(own, *request.data.x, factors, 1, rng, group);
  }
  const FunctionRows summaries(
      *request.data.x, summary_count(networks.pieces),
      [&](MatrixView<const float> x) { return piece_summaries(networks, x); });
  return train_posterior_factors(own, summaries, factors, 1, rng, group);
}

std::unique_ptr<TrainedNetworks> train_networks(const EstimationRequest& asked,
                                                const DataPieces& pieces, ProcessGroup& group) {
  const Dataset& data = asked.data;
  InferenceOptions plain = without_embedding(asked.options);
  if (pieces.given > 0) plain.density.transforms = 1;  // a flow is of all columns: none are given
  const EstimationRequest request{data,  asked.marginals, asked.ensemble,
                                  plain, asked.rng,       asked.observer};
  const InferenceOptions options = fitted_densities(plain, data_size(data));
  DensityResult likelihood = train_pieces(request, pieces, group);
  auto result = std::make_unique<TrainedLikelihood>(
      LikelihoodNetworks{std::move(likelihood.stack), {}, {}, pieces});
  result->histories = std::move(likelihood.histories);
  const auto add = [&](std::vector<MemberHistory> more) {
    std::ranges::move(more, std::back_inserter(result->histories));
  };
  if (pieces.given > 0) {
    LaterPieces later(group, result->size());
    DensityResult first = train_first_values(request, pieces.given, later);
    add(std::move(first.histories));
    result->networks.first = std::move(first.stack);
  }
  if (needs_proposal(request)) {
    LaterPieces later(group, result->size());
    DensityResult proposal = train_proposal(request, result->networks, later);
    add(std::move(proposal.histories));
    result->networks.proposal = std::move(proposal.stack);
  }
  if (needs_selection(data)) {
    LaterPieces later(group, result->size());
    TrainingResult selection = train_selection(request, options, later);
    add(std::move(selection.histories));
    result->networks.selection = std::move(selection.stack);
  }
  return result;
}

std::unique_ptr<TrainedNetworks> train_on_telling_columns(const EstimationRequest& asked,
                                                          ProcessGroup& group) {
  std::vector<Index> columns = telling_columns(asked.data);
  const Dataset data = with_columns(asked.data, columns);
  auto result = train_networks(
      {data, asked.marginals, asked.ensemble, asked.options, asked.rng, asked.observer},
      {.columns = std::ssize(columns)}, group);
  LikelihoodNetworks& networks = static_cast<TrainedLikelihood&>(*result).networks;
  networks.columns = std::move(columns);
  networks.data_columns = asked.data.x->cols();
  return result;
}

// All marginals come from the same likelihood: they share its training curves and weights.
TrainedPosterior assemble(const EstimationRequest& request,
                          std::unique_ptr<TrainedNetworks> networks) {
  auto& trained = static_cast<TrainedLikelihood&>(*networks);
  const Index factors = trained.networks.likelihood.densities() / request.ensemble;
  std::vector<MemberHistory> ensemble;
  for (int e = 0; e < request.ensemble; ++e) {
    std::vector<const MemberHistory*> parts;
    for (Index k = e * factors; k < (e + 1) * factors; ++k) {
      if (is_constant_column(trained.networks.likelihood, k)) continue;
      parts.push_back(&trained.histories[static_cast<std::size_t>(k)]);
    }
    ensemble.push_back(product_history(parts));
  }
  const std::vector<double> shared = ensemble_weights(ensemble, request.data.validation.size(), 1);
  std::vector<double> weights;
  std::vector<MemberHistory> histories;
  for (std::size_t k = 0; k < request.marginals.size(); ++k) {
    std::ranges::copy(shared, std::back_inserter(weights));
    std::ranges::copy(ensemble, std::back_inserter(histories));
  }
  return {std::make_shared<const LikelihoodEstimator>(request.data.prior, request.marginals,
                                                      request.ensemble, std::move(trained.networks),
                                                      std::move(weights)),
          std::move(histories)};
}

// The arrays whose names begin so, without the beginning.
std::vector<NamedArray> part_of(std::span<const NamedArray> arrays, const std::string& prefix) {
  std::vector<NamedArray> result;
  for (const NamedArray& array : arrays) {
    if (!array.name.starts_with(prefix)) continue;
    result.push_back(array);
    result.back().name = array.name.substr(prefix.size());
  }
  return result;
}

// "elements" or "steps": how many. None: data that are not taken apart.
DataPieces pieces_from_arrays(std::span<const NamedArray> arrays, Index columns) {
  DataPieces pieces{.columns = columns};
  for (const char* name : {"elements", "steps"}) {
    if (std::ranges::find(arrays, name, &NamedArray::name) == arrays.end()) continue;
    const double count = array_values<double>(arrays, name, std::vector<Index>{1})[0];
    if (!(count >= 1 && count <= kMostPieces && count == std::floor(count))) fail_misfit();
    pieces.count = static_cast<Index>(count);
    if (name != std::string_view("steps")) continue;
    if (columns % 2 != 0) fail_misfit();
    pieces.given = columns / 2;
  }
  pieces.may_be_absent = pieces.count > 1 && pieces.given == 0 &&
                         std::ranges::find(arrays, "absent", &NamedArray::name) != arrays.end();
  return pieces;
}

// Ascending columns of the data that a likelihood is of; none if it is of all.
void read_columns(LikelihoodNetworks& networks, std::span<const NamedArray> arrays) {
  if (std::ranges::find(arrays, "columns", &NamedArray::name) == arrays.end()) return;
  const Index count = networks.likelihood.theta_scores().cols();
  const double all = array_values<double>(arrays, "data_columns", std::vector<Index>{1})[0];
  if (networks.pieces.apart() || !(all >= 1 && all < 1e9 && all == std::floor(all))) fail_misfit();
  double before = -1;
  for (const double column : array_values<double>(arrays, "columns", std::vector<Index>{count})) {
    if (!(column > before && column < all && column == std::floor(column))) fail_misfit();
    networks.columns.push_back(static_cast<Index>(column));
    before = column;
  }
  networks.data_columns = static_cast<Index>(all);
}

bool first_fits(const LikelihoodNetworks& networks, Index ensemble) {
  const Index channels = networks.pieces.given;
  if (!networks.first) return channels == 0;
  return channels > 0 && networks.likelihood.transforms() == 1 &&
         networks.first->transforms() == 1 && networks.first->theta_scores().cols() == channels &&
         networks.first->densities() == ensemble * channels &&
         networks.first->data_size() == networks.likelihood.data_size();
}

SharedPosterior load(const Prior& prior, const Region& region, std::span<const NamedArray> arrays) {
  LikelihoodNetworks networks{
      DensityStack::from_arrays(part_of(arrays, "likelihood.")), {}, {}, {}};
  const Index columns = networks.likelihood.theta_scores().cols();
  networks.pieces = pieces_from_arrays(arrays, columns);
  read_columns(networks, arrays);
  if (const auto part = part_of(arrays, "first."); !part.empty()) {
    networks.first = DensityStack::from_arrays(part);
  }
  if (const auto part = part_of(arrays, "proposal."); !part.empty()) {
    networks.proposal = DensityStack::from_arrays(part);
  }
  if (const auto part = part_of(arrays, "selection."); !part.empty()) {
    networks.selection = RatioStack::from_arrays(part);
  }
  std::vector<Marginal> marginals = marginals_from_arrays(arrays, prior.dimensions());
  const auto weights = array_values<double>(arrays, "weights", std::vector<Index>{-1});
  const Index ensemble = std::ssize(weights) / std::ssize(marginals);
  const DataPieces& pieces = networks.pieces;
  const bool smaller = std::ranges::any_of(
      marginals, [&](const Marginal& one) { return std::ssize(one) < prior.dimensions(); });
  if (ensemble < 1 || ensemble * std::ssize(marginals) != std::ssize(weights) ||
      networks.likelihood.densities() !=
          ensemble * (networks.likelihood.transforms() > 1 ? 1 : pieces.step()) ||
      networks.likelihood.data_size() != 2 * prior.dimensions() ||
      !first_fits(networks, ensemble) ||
      (smaller &&
       (!networks.proposal || networks.proposal->size() != prior.dimensions() ||
        networks.proposal->transforms() != 1 ||
        networks.proposal->theta_scores().cols() != prior.dimensions() ||
        networks.proposal->data_size() != (pieces.apart() ? summary_count(pieces) : columns))) ||
      (networks.selection && networks.selection->theta_scores().cols() != prior.dimensions())) {
    fail_misfit();
  }
  return std::make_shared<const LikelihoodEstimator>(
      TruncatedPrior(prior, region), std::move(marginals), static_cast<int>(ensemble),
      std::move(networks), std::vector<double>(weights.begin(), weights.end()));
}

InferenceOptions fitted_likelihood(InferenceOptions options, const DataSize& data) {
  options.embedding.kind = EmbeddingKind::none;
  return fitted_densities(std::move(options), data);
}

void check(const InferenceOptions& options, Index data_size) {
  const EmbeddingKind kind = options.embedding.kind;
  if (kind != EmbeddingKind::none && kind != EmbeddingKind::automatic) {
    fail_value("embedding", "not none",
               fmt::format("{} learns the density of the data themselves; use none, or a method "
                           "that learns from compressed data, such as tmnre or npe",
                           options.method));
  }
  if (data_size > kMostLikelihoodColumns &&
      data_size != std::numeric_limits<Index>::max()) {  // not known yet
    fail_value("method", fmt::format("'{}'", options.method),
               fmt::format("learns the density of the data column by column, of at most {}, and "
                           "there are {}; give it summaries of them, or use tmnre, mnre, npe or "
                           "tnpe, with an embedding if they are thousands",
                           kMostLikelihoodColumns, data_size));
  }
}

// A kind that takes data apart in its own way.
template <typename Pieces>
EstimatorKind kind_of(const char* name, Pieces) {
  return {name,
          [](const EstimationRequest& request, ProcessGroup& group) {
            return train_networks(request, Pieces()(request.data), group);
          },
          assemble,
          load,
          fitted_likelihood,
          check};
}

}  // namespace

const EstimatorKind& likelihood_estimation() {
  static const EstimatorKind kind = kind_of(
      "likelihood", [](const Dataset& data) { return DataPieces{.columns = data.x->cols()}; });
  return kind;
}

const EstimatorKind& column_likelihood_estimation() {
  static const EstimatorKind kind{
      "column_likelihood", train_on_telling_columns, assemble, load, fitted_likelihood, check};
  return kind;
}

const EstimatorKind& element_likelihood_estimation() {
  static const EstimatorKind kind = kind_of("element_likelihood", [](const Dataset& data) {
    return elements_of(data.description, data.x->cols());
  });
  return kind;
}

const EstimatorKind& transition_likelihood_estimation() {
  static const EstimatorKind kind = kind_of("transition_likelihood", [](const Dataset& data) {
    return steps_of(data.description, data.x->cols());
  });
  return kind;
}

}  // namespace hone
