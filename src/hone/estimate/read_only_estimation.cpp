#include "hone/estimate/read_only_estimation.h"

#include "hone/core/error.h"
#include "hone/estimate/ratio_estimator.h"
#include "hone/posterior/parts_posterior.h"
#include "hone/posterior/sample_posterior.h"

namespace hone {
namespace {

constexpr auto kNoNetworks = "this method trains no networks";
constexpr auto kOwnSimulations =
    "smnre learns each marginal from simulations of its own: begin a new run for others";

template <const auto& why>
std::unique_ptr<TrainedNetworks> refuse_training(const EstimationRequest&, ProcessGroup&) {
  fail(ErrorKind::input, "{}", why);
}

template <const auto& why>
TrainedPosterior refuse_networks(const EstimationRequest&, std::unique_ptr<TrainedNetworks>) {
  fail(ErrorKind::input, "{}", why);
}

SharedPosterior load_parts(const Prior& prior, const Region& region,
                           std::span<const NamedArray> arrays) {
  std::vector<SharedPosterior> parts;
  for (const auto& own : arrays_of_parts(arrays)) {
    parts.push_back(ratio_estimation().load(prior, region, own));
    const bool fits = parts.back()->marginals().size() == 1 &&
                      parts.back()->ensemble() == parts.front()->ensemble();
    if (!fits) fail(ErrorKind::io, "network file: its parts do not fit together");
  }
  if (parts.empty()) fail(ErrorKind::io, "network file: it has no parts");
  return std::make_shared<const PartsPosterior>(std::move(parts));
}

}  // namespace

const EstimatorKind& sample_estimation() {
  static const EstimatorKind kind{SamplePosterior::kName, refuse_training<kNoNetworks>,
                                  refuse_networks<kNoNetworks>, SamplePosterior::load};
  return kind;
}

const EstimatorKind& ratio_parts_estimation() {
  static const EstimatorKind kind{"ratio_parts", refuse_training<kOwnSimulations>,
                                  refuse_networks<kOwnSimulations>, load_parts};
  return kind;
}

}  // namespace hone
