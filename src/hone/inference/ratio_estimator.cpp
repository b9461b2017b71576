#include "hone/inference/ratio_estimator.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <boost/math/special_functions/erf.hpp>
#include <fmt/ranges.h>

#include "hone/core/error.h"

namespace hone {
namespace {

// The standard normal quantile.
double normal_quantile(const UnitPoint& point) {
  const bool low = point.u <= point.complement;
  const double tail = std::max(low ? point.u : point.complement, 1e-300);
  const double distance = std::numbers::sqrt2 * boost::math::erfc_inv(2 * tail);
  return low ? -distance : distance;
}

// What the networks see of a parameter. Between finite bounds it is the local coordinate; without
// them the normal quantile of u, in which a normal or lognormal posterior is a parabola also far
// out, where u has no resolution left (docs/decisions/0003-default-preset.md has the gain).
float network_coordinate(const TruncatedPrior& prior, int d, float local) {
  const Distribution& axis = prior.prior()[d];
  if (std::isfinite(axis.lower()) && std::isfinite(axis.upper())) return local;
  constexpr float kEnd = 1e-7F;  // a float does not tell more of its distance to 1
  const double inside = static_cast<double>(std::clamp(local, kEnd, 1 - kEnd));
  return static_cast<float>(normal_quantile(prior.axis(d).to_unit({inside, 1 - inside})));
}

// Local coordinates (n, marginal) as the networks see them.
Matrix<float> network_coordinates(const TruncatedPrior& prior, const Marginal& marginal,
                                  MatrixView<const float> local) {
  Matrix<float> result(local.rows(), local.cols());
  for (Index i = 0; i < local.rows(); ++i) {
    for (Index j = 0; j < local.cols(); ++j) {
      result(i, j) = network_coordinate(prior, marginal[static_cast<std::size_t>(j)], local(i, j));
    }
  }
  return result;
}

Marginal all_parameters(const TruncatedPrior& prior) {
  Marginal all(static_cast<std::size_t>(prior.dimensions()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

RatioEstimator::RatioEstimator(TruncatedPrior prior, std::vector<Marginal> marginals, int ensemble,
                               RatioStack stack, std::vector<double> weights)
    : prior_(std::move(prior)),
      marginals_(std::move(marginals)),
      ensemble_(ensemble),
      stack_(std::move(stack)),
      weights_(std::move(weights)) {
  HONE_ASSERT(stack_.size() == static_cast<Index>(marginals_.size()) * ensemble);
  HONE_ASSERT(stack_.size() == static_cast<Index>(weights_.size()));
}

std::span<const double> RatioEstimator::weights(Index marginal) const {
  return std::span(weights_).subspan(static_cast<std::size_t>(marginal * ensemble_),
                                     static_cast<std::size_t>(ensemble_));
}

Index RatioEstimator::find(const Marginal& marginal) const {
  const auto found = std::ranges::find(marginals_, marginal);
  if (found == marginals_.end()) {
    const auto names = prior_.prior().names();
    std::vector<std::string> trained;
    for (const Marginal& one : marginals_) trained.push_back(marginal_name(one, names));
    fail(ErrorKind::input, "the marginal {} has not been trained; trained are {}",
         marginal_name(marginal, names), fmt::join(trained, "; "));
  }
  return found - marginals_.begin();
}

Matrix<float> RatioEstimator::features(std::span<const double> x) const {
  if (static_cast<Index>(x.size()) != stack_.data_size()) {
    fail(ErrorKind::input, "the data vector has {} values, the simulator makes {}", x.size(),
         stack_.data_size());
  }
  Matrix<float> row(1, stack_.data_size());
  std::ranges::transform(x, row.row(0).begin(), [](double v) { return static_cast<float>(v); });
  return stack_.features(row);
}

Matrix<float> RatioEstimator::log_ratios(Index marginal, const Matrix<float>& features,
                                         MatrixView<const float> local) const {
  const Matrix<float> theta =
      network_coordinates(prior_, marginals_[static_cast<std::size_t>(marginal)], local);
  Matrix<float> out(ensemble_, local.rows());
  for (int e = 0; e < ensemble_; ++e) {
    stack_.log_ratios(out.view().rows(e, 1), marginal * ensemble_ + e, features, theta);
  }
  return out;
}

std::vector<Matrix<float>> RatioEstimator::log_ratio_blocks(Index marginal,
                                                            MatrixView<const float> features,
                                                            MatrixView<const float> local) const {
  const Matrix<float> theta =
      network_coordinates(prior_, marginals_[static_cast<std::size_t>(marginal)], local);
  std::vector<Matrix<float>> result;
  for (int e = 0; e < ensemble_; ++e) {
    result.emplace_back(features.rows(), local.rows() / features.rows());
    stack_.log_ratio_blocks(result.back(), marginal * ensemble_ + e, features, theta);
  }
  return result;
}

std::vector<NamedArray> RatioEstimator::to_arrays() const {
  std::vector<NamedArray> arrays = stack_.to_arrays();
  arrays.push_back({"weights", {stack_.size()}, weights_});
  return arrays;
}

RatioEstimator RatioEstimator::from_arrays(const Prior& prior, const Region& region,
                                           std::span<const NamedArray> arrays) {
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
  return {TruncatedPrior(prior, region), std::move(marginals), ensemble, std::move(stack),
          std::move(weights)};
}

namespace {

// With fewer columns than this there is little noise to overfit, and shrinkage does more harm than
// good (docs/decisions/0009).
constexpr Index kManyColumns = 50;

// Batches small enough for the steps asked for, also for the small data sets of early rounds; an
// average of the weights that remembers no more than the last tenth of the steps; and shrinkage
// only of many columns.
TrainingOptions fitted(const InferenceOptions& inference, std::size_t rows, Index columns) {
  TrainingOptions options = inference.training;
  const auto fitting = rows / static_cast<std::size_t>(inference.minimum_steps);
  options.batch_size =
      std::min(options.batch_size, static_cast<int>(std::max<std::size_t>(8, fitting)));
  const double steps = static_cast<double>(options.max_epochs) *
                       static_cast<double>(rows / static_cast<std::size_t>(options.batch_size));
  options.weight_average = std::clamp(1 - 10 / steps, 0.0, options.weight_average);
  if (columns < kManyColumns) options.column_shrinkage = 0;
  return options;
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
                                     std::size_t validation_rows) {
  const double scale = 1 / (3 * std::sqrt(static_cast<double>(validation_rows)));
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

double ensemble_scatter(std::span<const double> values, std::span<const double> weights) {
  HONE_ASSERT(values.size() == weights.size());
  if (values.size() < 2) return 0;
  const double mean = std::inner_product(values.begin(), values.end(), weights.begin(), 0.0);
  double square = 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    square += weights[e] * (values[e] - mean) * (values[e] - mean);
  }
  const double n = static_cast<double>(values.size());
  return std::sqrt(square * n / (n - 1));
}

TrainingResult train_stack(const Dataset& data, const std::vector<Marginal>& marginals,
                           int ensemble, const InferenceOptions& options, const Rng& rng,
                           Observer& observer, Team& team) {
  const Matrix<float> theta =
      network_coordinates(data.prior, all_parameters(data.prior), data.theta);
  const Index columns =
      options.embedding.kind == EmbeddingKind::none ? data.x->cols() : options.embedding.features;
  return train({*data.x, theta, data.training, data.validation, data.training_negatives,
                data.validation_negatives},
               make_members(marginals, ensemble), options.network, options.embedding,
               fitted(options, data.training.size(), columns), rng, observer, team);
}

TrainedEstimator assemble(const Dataset& data, const std::vector<Marginal>& marginals, int ensemble,
                          TrainingResult result) {
  std::vector<double> weights;
  const std::span<const MemberHistory> histories = result.histories;
  for (std::size_t k = 0; k < histories.size(); k += static_cast<std::size_t>(ensemble)) {
    const auto those = histories.subspan(k, static_cast<std::size_t>(ensemble));
    std::ranges::copy(ensemble_weights(those, data.validation.size()), std::back_inserter(weights));
  }
  return {
      RatioEstimator(data.prior, marginals, ensemble, std::move(result.stack), std::move(weights)),
      std::move(result.histories)};
}

TrainedEstimator train_marginals(const Dataset& data, const std::vector<Marginal>& marginals,
                                 int ensemble, const InferenceOptions& options, const Rng& rng,
                                 Observer& observer) {
  return assemble(data, marginals, ensemble,
                  train_stack(data, marginals, ensemble, options, rng, observer));
}

}  // namespace hone
