#include "hone/estimate/joint_estimation.h"

#include <algorithm>

#include "hone/estimate/atomic_estimation.h"
#include "hone/estimate/likelihood_estimator.h"
#include "hone/estimate/ratio_estimator.h"
#include "hone/posterior/joint_posterior.h"
#include "hone/posterior/sample_posterior.h"

namespace hone {
namespace {

using GetKind = const EstimatorKind& (*)();

// What `all` trains on the marginal of all parameters; then projected.
template <GetKind all>
std::unique_ptr<TrainedNetworks> train(const EstimationRequest& request, ProcessGroup& group) {
  const std::vector<Marginal> marginals{joint(request.data.prior.dimensions())};
  return all().train(
      {request.data, marginals, request.ensemble, request.options, request.rng, request.observer},
      group);
}

template <GetKind all>
TrainedPosterior assemble(const EstimationRequest& request,
                          std::unique_ptr<TrainedNetworks> networks) {
  const std::vector<Marginal> marginals{joint(request.data.prior.dimensions())};
  TrainedPosterior trained = all().assemble(
      {request.data, marginals, request.ensemble, request.options, request.rng, request.observer},
      std::move(networks));
  trained.posterior =
      std::make_shared<const JointPosterior>(std::move(trained.posterior), request.marginals);
  return trained;
}

// The file lists the projections; what was trained is the joint posterior.
template <GetKind all>
SharedPosterior load(const Prior& prior, const Region& region, std::span<const NamedArray> arrays) {
  std::vector<NamedArray> own(arrays.begin(), arrays.end());
  std::ranges::replace_if(
      own, [](const NamedArray& array) { return array.name == kMarginalsArray; },
      marginals_to_array({joint(prior.dimensions())}));
  return std::make_shared<const JointPosterior>(all().load(prior, region, own),
                                                marginals_from_arrays(arrays, prior.dimensions()));
}

template <GetKind all>
EstimatorKind joint_kind() {
  return {"joint_" + all().name, train<all>, assemble<all>, load<all>, all().fit, all().check};
}

}  // namespace

const EstimatorKind& joint_ratio_estimation() {
  static const EstimatorKind kind = joint_kind<ratio_estimation>();
  return kind;
}

const EstimatorKind& joint_density_estimation() {
  static const EstimatorKind kind = joint_kind<atomic_density_estimation>();
  return kind;
}

const EstimatorKind& joint_likelihood_estimation() {
  static const EstimatorKind kind = joint_kind<likelihood_estimation>();
  return kind;
}

}  // namespace hone
