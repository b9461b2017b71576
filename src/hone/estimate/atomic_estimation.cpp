#include "hone/estimate/atomic_estimation.h"

#include <algorithm>

#include "hone/core/error.h"
#include "hone/estimate/density_estimator.h"
#include "hone/estimate/factors.h"
#include "hone/estimate/network_coordinates.h"
#include "hone/estimate/ratio_estimator.h"

namespace hone {
namespace {

// Members are chains or flows: all networks of one stand together.
class JointNetworks final : public TrainedNetworks {
 public:
  JointNetworks(DensityResult result, Index length)
      : stack(std::move(result.stack)), length_(length) {
    histories = std::move(result.histories);
  }
  Index size() const override { return stack.size() / length_; }
  std::span<float> parameters(Index member) override {
    const std::span<float> first = stack.parameters(member * length_);
    return {first.data(), first.size() * static_cast<std::size_t>(length_)};
  }

  DensityStack stack;

 private:
  Index length_;
};

// log density of the prior, uniform in local coordinates, in those of the networks.
std::vector<float> log_prior(const TruncatedPrior& prior, const Matrix<float>& coordinates) {
  std::vector<float> result(static_cast<std::size_t>(coordinates.rows()), 0.0F);
  for (Index i = 0; i < coordinates.rows(); ++i) {
    for (int d = 0; d < prior.dimensions(); ++d) {
      result[static_cast<std::size_t>(i)] -=
          static_cast<float>(log_coordinate_slope(prior, d, coordinates(i, d)));
    }
  }
  return result;
}

std::unique_ptr<TrainedNetworks> train(const EstimationRequest& request, ProcessGroup& group) {
  const Dataset& data = request.data;
  const Marginal all = all_parameters(data.prior);
  HONE_ASSERT(request.marginals == std::vector<Marginal>{all});
  const InferenceOptions options = fitted_densities(request.options, data_size(data));
  const Matrix<float> theta = network_coordinates(data.prior, all, data.theta);
  const std::vector<float> prior = log_prior(data.prior, theta);
  AtomicLoss loss{.atoms = options.density.atoms, .log_prior = prior, .from_prior = {}};
  for (const std::int32_t round : data.rounds) loss.from_prior.push_back(round <= 1);
  if (!std::ranges::count(loss.from_prior, false)) loss.atoms = 1;
  const Index transforms = options.density.transforms;
  std::vector<MemberSpec> members;
  for (int e = 0; e < request.ensemble; ++e) {
    for (std::vector<int>& factor : factors_of(all, transforms)) {
      members.push_back({std::move(factor), static_cast<std::uint64_t>(e)});
    }
  }
  DensityResult result = train_densities({*data.x, theta, data.training, data.validation,
                                          data.training_negatives, data.validation_negatives},
                                         std::move(members),
                                         {.what = DensityOf::parameters,
                                          .form = options.density.form,
                                          .components = options.density.components,
                                          .bounds = coordinate_bounds(data.prior),
                                          .atomic = std::move(loss),
                                          .transforms = transforms},
                                         options.network, options.embedding, options.training,
                                         request.rng, request.observer, group);
  const Index length = transforms > 1 ? transforms : std::ssize(all);
  return std::make_unique<JointNetworks>(std::move(result), length);
}

TrainedPosterior assemble(const EstimationRequest& request,
                          std::unique_ptr<TrainedNetworks> networks) {
  auto& trained = static_cast<JointNetworks&>(*networks);
  std::vector<double> weights =
      ensemble_weights(trained.histories, request.data.validation.size(), 1);
  return {std::make_shared<const DensityEstimator>(request.data.prior, request.marginals,
                                                   request.ensemble, std::move(trained.stack),
                                                   std::move(weights)),
          std::move(trained.histories)};
}

}  // namespace

const EstimatorKind& atomic_density_estimation() {
  static const EstimatorKind kind{density_estimation().name, train, assemble,
                                  density_estimation().load, density_estimation().fit};
  return kind;
}

}  // namespace hone
