#include "hone/estimate/ratio_estimator.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hone/core/error.h"
#include "hone/estimate/encoder_choice.h"
#include "hone/estimate/network_coordinates.h"

namespace hone {

RatioEstimator::RatioEstimator(TruncatedPrior prior, std::vector<Marginal> marginals, int ensemble,
                               RatioStack stack, std::vector<double> weights)
    : AmortizedPosterior(std::move(prior), std::move(marginals), ensemble, std::move(weights)),
      stack_(std::move(stack)) {
  HONE_ASSERT(stack_.size() == std::ssize(this->marginals()) * ensemble);
}

Matrix<float> RatioEstimator::log_densities(Index marginal, const Matrix<float>& features,
                                            MatrixView<const float> local) const {
  const Matrix<float> theta =
      network_coordinates(prior(), marginals()[static_cast<std::size_t>(marginal)], local);
  Matrix<float> out(ensemble(), local.rows());
  for (int e = 0; e < ensemble(); ++e) {
    stack_.log_ratios(out.view().rows(e, 1), marginal * ensemble() + e, features, theta);
  }
  return out;
}

std::vector<Matrix<float>> RatioEstimator::log_density_blocks(Index marginal,
                                                              MatrixView<const float> features,
                                                              MatrixView<const float> local) const {
  const Matrix<float> theta =
      network_coordinates(prior(), marginals()[static_cast<std::size_t>(marginal)], local);
  std::vector<Matrix<float>> result;
  for (int e = 0; e < ensemble(); ++e) {
    result.emplace_back(features.rows(), local.rows() / features.rows());
    stack_.log_ratio_blocks(result.back(), marginal * ensemble() + e, features, theta);
  }
  return result;
}

std::vector<NamedArray> RatioEstimator::to_arrays() const {
  std::vector<NamedArray> arrays = stack_.to_arrays();
  arrays.push_back({"weights", {stack_.size()}, all_weights()});
  return arrays;
}

namespace {

SharedPosterior load(const Prior& prior, const Region& region, std::span<const NamedArray> arrays) {
  RatioStack stack = RatioStack::from_arrays(arrays);
  std::vector<Marginal> marginals;
  for (const MemberSpec& member : stack.members()) {
    if (std::ranges::find(marginals, member.columns) == marginals.end()) {
      marginals.push_back(member.columns);
    }
  }
  const int ensemble = static_cast<int>(stack.size() / static_cast<Index>(marginals.size()));
  if (static_cast<Index>(marginals.size()) * ensemble != stack.size() ||
      stack.theta_scores().cols() != prior.dimensions()) {
    fail(ErrorKind::io, "network file: its members do not fit the run; the file is damaged");
  }
  // Files from before there were weights have none: equal ones.
  std::vector<double> weights(static_cast<std::size_t>(stack.size()), 1.0 / ensemble);
  if (std::ranges::find(arrays, "weights", &NamedArray::name) != arrays.end()) {
    const auto saved = array_values<double>(arrays, "weights", std::vector<Index>{stack.size()});
    weights.assign(saved.begin(), saved.end());
  }
  return std::make_shared<const RatioEstimator>(TruncatedPrior(prior, region), std::move(marginals),
                                                ensemble, std::move(stack), std::move(weights));
}

std::vector<MemberSpec> make_members(const std::vector<Marginal>& marginals, int ensemble) {
  std::vector<MemberSpec> members;
  for (const Marginal& marginal : marginals) {
    for (int e = 0; e < ensemble; ++e) {
      members.push_back({marginal, static_cast<std::uint64_t>(e)});
    }
  }
  return members;
}

}  // namespace

std::vector<double> ensemble_weights(std::span<const MemberHistory> ensemble,
                                     std::size_t validation_rows, double parts) {
  const double scale = 1 / (parts * std::sqrt(static_cast<double>(validation_rows)));
  const double best = std::ranges::min(ensemble, {}, &MemberHistory::best_loss).best_loss;
  std::vector<double> weights;
  for (const MemberHistory& network : ensemble) {
    const double excess = std::isfinite(best) ? network.best_loss - best : 0;
    weights.push_back(std::exp(-excess / scale));
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

namespace {

class RatioNetworks final : public TrainedNetworks {
 public:
  explicit RatioNetworks(TrainingResult result) : stack(std::move(result.stack)) {
    histories = std::move(result.histories);
  }
  Index size() const override { return stack.size(); }
  std::span<float> parameters(Index member) override { return stack.parameters(member); }

  RatioStack stack;
};

std::unique_ptr<TrainedNetworks> train_networks(const EstimationRequest& request,
                                                ProcessGroup& group) {
  const Dataset& data = request.data;
  const InferenceOptions options = fitted(request.options, data_size(data));
  const Matrix<float> theta =
      network_coordinates(data.prior, all_parameters(data.prior), data.theta);
  const TrainingData rows{*data.x,
                          theta,
                          data.training,
                          data.validation,
                          data.training_negatives,
                          data.validation_negatives};
  const auto train_with = [&](const EmbeddingOptions& embedding) {
    return train(rows, make_members(request.marginals, request.ensemble), options.network,
                 embedding, options.training, request.rng, request.observer, group);
  };
  return std::make_unique<RatioNetworks>(train_best_form(options.embedding, train_with));
}

TrainedPosterior assemble(const EstimationRequest& request,
                          std::unique_ptr<TrainedNetworks> networks) {
  auto& trained = static_cast<RatioNetworks&>(*networks);
  std::vector<double> weights;
  const std::span<const MemberHistory> histories = trained.histories;
  const auto ensemble = static_cast<std::size_t>(request.ensemble);
  for (std::size_t k = 0; k < histories.size(); k += ensemble) {
    std::ranges::copy(
        ensemble_weights(histories.subspan(k, ensemble), request.data.validation.size()),
        std::back_inserter(weights));
  }
  return {std::make_shared<const RatioEstimator>(request.data.prior, request.marginals,
                                                 request.ensemble, std::move(trained.stack),
                                                 std::move(weights)),
          std::move(trained.histories)};
}

}  // namespace

const EstimatorKind& ratio_estimation() {
  static const EstimatorKind kind{.name = "ratio",
                                  .train = train_networks,
                                  .assemble = assemble,
                                  .load = load,
                                  .any_axis = true,
                                  .whole_numbers = true};
  return kind;
}

}  // namespace hone
