#include "hone/inference/ratio_estimator.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "hone/core/error.h"

namespace hone {

RatioEstimator::RatioEstimator(TruncatedPrior prior, std::vector<Marginal> marginals, int ensemble,
                               RatioStack stack, std::optional<RatioStack> validity)
    : prior_(std::move(prior)),
      marginals_(std::move(marginals)),
      ensemble_(ensemble),
      stack_(std::move(stack)),
      validity_(std::move(validity)) {
  HONE_ASSERT(!validity_ || validity_->size() == static_cast<Index>(marginals_.size()));
  HONE_ASSERT(stack_.size() == static_cast<Index>(marginals_.size()) * ensemble);
}

Index RatioEstimator::find(const Marginal& marginal) const {
  const auto found = std::ranges::find(marginals_, marginal);
  if (found == marginals_.end()) {
    const auto names = prior_.prior().names();
    std::vector<std::string> trained;
    for (const Marginal& one : marginals_) trained.push_back(marginal_name(one, names));
    fail(
        ErrorKind::input,
        "the marginal {} has not been trained; trained are {}. `hone train DIR --marginal {}` adds "
        "it without new simulations",
        marginal_name(marginal, names), fmt::join(trained, "; "), marginal_name(marginal, names));
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
  Matrix<float> out(ensemble_, local.rows());
  for (int e = 0; e < ensemble_; ++e) {
    stack_.log_ratios(out.view().rows(e, 1), marginal * ensemble_ + e, features, local);
  }
  if (!validity_) return out;
  Matrix<float> succeeded(1, 1), log_valid(1, local.rows());
  succeeded(0, 0) = 1;
  validity_->log_ratios(log_valid, marginal, validity_->features(succeeded), local);
  for (int e = 0; e < ensemble_; ++e) {
    for (Index i = 0; i < local.rows(); ++i) out(e, i) += log_valid(0, i);
  }
  return out;
}

namespace {

// Arrays of the second stack, in the same file.
const std::string kValidity = "validity.";

}  // namespace

std::vector<NamedArray> RatioEstimator::to_arrays() const {
  std::vector<NamedArray> arrays = stack_.to_arrays();
  if (!validity_) return arrays;
  for (NamedArray& array : validity_->to_arrays()) {
    array.name.insert(0, kValidity);
    arrays.push_back(std::move(array));
  }
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
  std::vector<NamedArray> validity_arrays;
  for (const NamedArray& array : arrays) {
    if (!array.name.starts_with(kValidity)) continue;
    validity_arrays.push_back(array);
    validity_arrays.back().name.erase(0, kValidity.size());
  }
  std::optional<RatioStack> validity;
  if (!validity_arrays.empty()) validity = RatioStack::from_arrays(validity_arrays);
  const int ensemble = static_cast<int>(stack.size() / static_cast<Index>(marginals.size()));
  if (static_cast<Index>(marginals.size()) * ensemble != stack.size() ||
      stack.theta_scores().cols() != prior.dimensions() ||
      (validity && validity->size() != static_cast<Index>(marginals.size()))) {
    fail(ErrorKind::io, "network file: its members do not fit the run; the file is damaged");
  }
  return {TruncatedPrior(prior, region), std::move(marginals), ensemble, std::move(stack),
          std::move(validity)};
}

namespace {

// At least eight steps per epoch, also for the small data sets of early rounds.
TrainingOptions fitted(TrainingOptions options, std::size_t rows) {
  const int fitting = std::max(8, static_cast<int>(rows / 8));
  options.batch_size = std::min(options.batch_size, fitting);
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

// p(theta | valid) / p(theta) = p(valid | theta) / p(valid), from successes and failures.
std::optional<RatioStack> train_validity(const Dataset& data,
                                         const std::vector<Marginal>& marginals,
                                         const InferenceOptions& options, const Rng& rng,
                                         Observer& observer) {
  if (data.attempted_theta.rows() == 0) return std::nullopt;
  const NetworkOptions network{.kind = NetworkKind::mlp,
                               .hidden = 32,
                               .depth = 2,
                               .activation = Activation::silu,
                               .norm = Norm::none};
  const MatrixRows valid(data.attempted_valid);
  return train({valid, data.attempted_theta, data.attempted_training, data.attempted_validation},
               make_members(marginals, 1), network, {},
               fitted(options.training, data.attempted_training.size()), rng, observer)
      .stack;
}

}  // namespace

TrainedEstimator train_marginals(const Dataset& data, const std::vector<Marginal>& marginals,
                                 int ensemble, const InferenceOptions& options, const Rng& rng,
                                 Observer& observer) {
  TrainingResult result =
      train({*data.x, data.theta, data.training, data.validation},
            make_members(marginals, ensemble), options.network, options.embedding,
            fitted(options.training, data.training.size()), rng, observer);
  return {RatioEstimator(data.prior, marginals, ensemble, std::move(result.stack),
                         train_validity(data, marginals, options, rng.child("validity"), observer)),
          std::move(result.histories)};
}

}  // namespace hone
