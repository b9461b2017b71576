#include "hone/estimate/density_estimator.h"

#include <algorithm>

#include "hone/core/error.h"
#include "hone/estimate/encoder_choice.h"
#include "hone/estimate/factors.h"
#include "hone/estimate/network_coordinates.h"
#include "hone/estimate/ratio_estimator.h"
#include "hone/posterior/sample_density.h"
#include "hone/posterior/sample_posterior.h"
#include "hone/posterior/weighted_pick.h"

namespace hone {

namespace {

// Factor by factor, `ensemble` of each: which density of the stack; -1 if there is none.
std::vector<Index> members_of(const DensityStack& stack,
                              const std::vector<std::vector<int>>& factors, int ensemble) {
  std::vector<Index> members;
  for (const std::vector<int>& factor : factors) {
    for (int e = 0; e < ensemble; ++e) {
      const auto replica = static_cast<std::uint64_t>(e * stack.transforms());
      Index k = 0;
      while (k < stack.densities() && stack.first_member(k) != MemberSpec{factor, replica}) ++k;
      members.push_back(k < stack.densities() ? k : -1);
    }
  }
  return members;
}

}  // namespace

DensityEstimator::DensityEstimator(TruncatedPrior prior, std::vector<Marginal> marginals,
                                   int ensemble, DensityStack stack, std::vector<double> weights)
    : AmortizedPosterior(std::move(prior), std::move(marginals), ensemble, std::move(weights)),
      factors_(all_factors(this->marginals(), stack.transforms())),
      stack_(std::move(stack)),
      members_(members_of(stack_, factors_, ensemble)) {
  HONE_ASSERT(stack_.densities() == std::ssize(factors_) * ensemble &&
              !std::ranges::count(members_, -1));
}

std::vector<Matrix<float>> DensityEstimator::log_density_blocks(
    Index marginal, MatrixView<const float> features, MatrixView<const float> local) const {
  const Marginal& columns = marginals()[static_cast<std::size_t>(marginal)];
  const Matrix<float> coordinates = network_coordinates(prior(), columns, local);
  const Index each = local.rows() / features.rows();
  // As a table of all parameters, of which only these are read; and log |d score / d local|.
  Matrix<float> table(local.rows(), prior().dimensions()), slope(features.rows(), each);
  for (Index i = 0; i < local.rows(); ++i) {
    for (Index j = 0; j < local.cols(); ++j) {
      const int d = columns[static_cast<std::size_t>(j)];
      table(i, d) = coordinates(i, j);
      slope.data()[i] += static_cast<float>(stack_.log_score_slope(d) +
                                            log_coordinate_slope(prior(), d, coordinates(i, j)));
    }
  }
  const Matrix<float> scores = stack_.scores(table);
  std::vector<Matrix<float>> result;
  for (int e = 0; e < ensemble(); ++e) {
    Matrix<float>& out = result.emplace_back(features.rows(), each);
    std::copy(slope.data(), slope.data() + local.rows(), out.data());
    for (const std::vector<int>& factor : factors_of(columns, stack_.transforms())) {
      stack_.add_log_densities(
          {out.data(), static_cast<std::size_t>(local.rows())},
          members_[static_cast<std::size_t>(find_factor(factors_, factor) * ensemble() + e)],
          {features, each, scores, 1});
    }
  }
  return result;
}

Matrix<float> DensityEstimator::log_densities(Index marginal, const Matrix<float>& features,
                                              MatrixView<const float> local) const {
  const std::vector<Matrix<float>> blocks = log_density_blocks(marginal, features, local);
  Matrix<float> out(ensemble(), local.rows());
  for (int e = 0; e < ensemble(); ++e) {
    std::ranges::copy(blocks[static_cast<std::size_t>(e)].row(0), out.row(e).begin());
  }
  return out;
}

// Which network of the ensemble draws a row is drawn first.
std::optional<Matrix<double>> DensityEstimator::joint_samples(std::span<const double> x, Index rows,
                                                              const Rng& rng) const {
  const Index dimensions = prior().dimensions();
  if (marginals() != std::vector<Marginal>{joint(prior().dimensions())}) return std::nullopt;
  std::vector<std::vector<Index>> rows_of(static_cast<std::size_t>(ensemble()));
  const WeightedPick pick_network(weights(0));
  Rng pick = rng.child("pick"), random = rng.child("uniform");
  for (Index r = 0; r < rows; ++r)
    rows_of[static_cast<std::size_t>(pick_network(pick))].push_back(r);
  const Matrix<float> context = features(x);
  const Standardizer& standard = stack_.theta_scores();
  Matrix<double> local(rows, dimensions);
  for (std::size_t e = 0; e < rows_of.size(); ++e) {
    const std::vector<Index>& own = rows_of[e];
    if (own.empty()) continue;
    std::vector<Index> densities;
    for (std::size_t at = e; at < members_.size(); at += rows_of.size()) {
      densities.push_back(members_[at]);
    }
    Matrix<double> uniform(std::ssize(own), dimensions);
    std::generate_n(uniform.data(), std::ssize(own) * dimensions, [&] { return random.uniform(); });
    Matrix<float> scores(std::ssize(own), dimensions);
    stack_.draw(scores, densities, context, uniform);
    for (std::size_t i = 0; i < own.size(); ++i) {
      for (int d = 0; d < prior().dimensions(); ++d) {
        const auto at = static_cast<std::size_t>(d);
        const float coordinate =
            scores(static_cast<Index>(i), d) / standard.inverse[at] + standard.mean[at];
        local(own[i], d) = static_cast<double>(local_coordinate(prior(), d, coordinate));
      }
    }
  }
  return local_to_theta(prior(), local);
}

std::vector<NamedArray> DensityEstimator::to_arrays() const {
  std::vector<NamedArray> arrays = stack_.to_arrays();
  arrays.push_back(marginals_to_array(marginals()));
  arrays.push_back({"weights", {std::ssize(all_weights())}, all_weights()});
  return arrays;
}

DensityResult train_posterior_factors(const EstimationRequest& request, const RowSource& x,
                                      const std::vector<std::vector<int>>& factors, int ensemble,
                                      const Rng& rng, ProcessGroup& group) {
  const Dataset& data = request.data;
  const InferenceOptions options = fitted_densities(request.options, data_size(data));
  const Matrix<float> theta =
      network_coordinates(data.prior, all_parameters(data.prior), data.theta);
  std::vector<MemberSpec> members;
  for (const std::vector<int>& factor : factors) {
    for (int e = 0; e < ensemble; ++e) members.push_back({factor, static_cast<std::uint64_t>(e)});
  }
  return train_best_form(options.embedding, [&](const EmbeddingOptions& embedding) {
    return train_densities({x, theta, data.training, data.validation, data.training_negatives,
                            data.validation_negatives},
                           members,
                           {.what = DensityOf::parameters,
                            .form = options.density.form,
                            .components = options.density.components,
                            .bounds = coordinate_bounds(data.prior),
                            .transforms = options.density.transforms},
                           options.network, embedding, options.training, rng, request.observer,
                           group);
  });
}

namespace {

class DensityNetworks final : public TrainedNetworks {
 public:
  explicit DensityNetworks(DensityResult result) : stack(std::move(result.stack)) {
    histories = std::move(result.histories);
  }
  Index size() const override { return stack.densities(); }
  std::span<float> parameters(Index member) override { return stack.density_parameters(member); }

  DensityStack stack;
};

std::unique_ptr<TrainedNetworks> train_networks(const EstimationRequest& request,
                                                ProcessGroup& group) {
  return std::make_unique<DensityNetworks>(train_posterior_factors(
      request, *request.data.x, all_factors(request.marginals, request.options.density.transforms),
      request.ensemble, request.rng, group));
}

TrainedPosterior assemble(const EstimationRequest& request,
                          std::unique_ptr<TrainedNetworks> networks) {
  auto& trained = static_cast<DensityNetworks&>(*networks);
  const Index transforms = trained.stack.transforms();
  const std::vector<std::vector<int>> factors = all_factors(request.marginals, transforms);
  std::vector<double> weights;
  std::vector<MemberHistory> histories;
  for (const Marginal& marginal : request.marginals) {
    std::vector<MemberHistory> ensemble;
    for (int e = 0; e < request.ensemble; ++e) {
      std::vector<const MemberHistory*> parts;
      for (const std::vector<int>& factor : factors_of(marginal, transforms)) {
        const Index member = find_factor(factors, factor) * request.ensemble + e;
        parts.push_back(&trained.histories[static_cast<std::size_t>(member)]);
      }
      ensemble.push_back(product_history(parts));
    }
    std::ranges::copy(ensemble_weights(ensemble, request.data.validation.size(), 1),
                      std::back_inserter(weights));
    std::ranges::move(ensemble, std::back_inserter(histories));
  }
  return {std::make_shared<const DensityEstimator>(request.data.prior, request.marginals,
                                                   request.ensemble, std::move(trained.stack),
                                                   std::move(weights)),
          std::move(histories)};
}

SharedPosterior load(const Prior& prior, const Region& region, std::span<const NamedArray> arrays) {
  DensityStack stack = DensityStack::from_arrays(arrays);
  std::vector<Marginal> marginals = marginals_from_arrays(arrays, prior.dimensions());
  const auto weights = array_values<double>(arrays, "weights", std::vector<Index>{-1});
  const std::vector<std::vector<int>> factors = all_factors(marginals, stack.transforms());
  const Index ensemble = std::ssize(weights) / std::ssize(marginals);
  if (ensemble < 1 || ensemble * std::ssize(marginals) != std::ssize(weights) ||
      stack.densities() != std::ssize(factors) * ensemble ||
      stack.theta_scores().cols() != prior.dimensions()) {
    fail_misfit();
  }
  if (std::ranges::count(members_of(stack, factors, static_cast<int>(ensemble)), -1) > 0) {
    fail_misfit();
  }
  return std::make_shared<const DensityEstimator>(
      TruncatedPrior(prior, region), std::move(marginals), static_cast<int>(ensemble),
      std::move(stack), std::vector<double>(weights.begin(), weights.end()));
}

}  // namespace

const EstimatorKind& density_estimation() {
  static const EstimatorKind kind{.name = "density",
                                  .train = train_networks,
                                  .assemble = assemble,
                                  .load = load,
                                  .fit = fitted_densities,
                                  .any_axis = true};
  return kind;
}

}  // namespace hone
