#include "hone/inference/ratio_estimator.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "hone/core/error.h"

namespace hone {

RatioEstimator::RatioEstimator(TruncatedPrior prior, std::vector<Marginal> marginals, int ensemble,
                               RatioStack stack)
    : prior_(std::move(prior)), marginals_(std::move(marginals)), ensemble_(ensemble),
      stack_(std::move(stack)) {
  HONE_ASSERT(stack_.size() == static_cast<Index>(marginals_.size()) * ensemble);
}

Index RatioEstimator::find(const Marginal& marginal) const {
  const auto found = std::ranges::find(marginals_, marginal);
  if (found == marginals_.end()) {
    const auto names = prior_.prior().names();
    std::vector<std::string> trained;
    for (const Marginal& one : marginals_) trained.push_back(marginal_name(one, names));
    fail(ErrorKind::input,
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
  return out;
}

std::vector<NamedArray> RatioEstimator::to_arrays() const { return stack_.to_arrays(); }

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
  return {TruncatedPrior(prior, region), std::move(marginals), ensemble, std::move(stack)};
}

namespace {

// At least eight steps per epoch, also for the small data sets of early rounds.
TrainingOptions fitted(TrainingOptions options, std::size_t rows) {
  const int fitting = std::max(8, static_cast<int>(rows / 8));
  options.batch_size = std::min(options.batch_size, fitting);
  return options;
}

}  // namespace

TrainedEstimator train_marginals(const Dataset& data, const std::vector<Marginal>& marginals,
                                 int ensemble, const InferenceOptions& options, const Rng& rng,
                                 Observer& observer) {
  std::vector<MemberSpec> members;
  for (const Marginal& marginal : marginals) {
    for (int e = 0; e < ensemble; ++e) {
      members.push_back({marginal, static_cast<std::uint64_t>(e)});
    }
  }
  TrainingResult result =
      train({*data.x, data.theta, data.training, data.validation}, std::move(members),
            options.network, options.embedding, fitted(options.training, data.training.size()),
            rng, observer);
  return {RatioEstimator(data.prior, marginals, ensemble, std::move(result.stack)),
          std::move(result.histories)};
}

}  // namespace hone
