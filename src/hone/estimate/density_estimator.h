#pragma once

#include "hone/engine/density_trainer.h"
#include "hone/estimate/estimator.h"

namespace hone {

// Networks that estimate the posterior density p(theta | x) of marginals inside a region by maximum
// likelihood: mixtures of Gaussians, cut to the region, for one parameter given those before it,
//
//   p(a, b | x) = p(a | x) p(b | a, x).
//
// Marginals that begin alike share networks; with several transforms each marginal has a flow of
// its own instead. Since simulations come from the prior inside the region, nothing has to be
// corrected; where some fail, it is the posterior given that data exist.
class DensityEstimator final : public AmortizedPosterior {
 public:
  // Densities of the stack: all_factors() of the marginals, each with replicas 0 .. ensemble - 1.
  // `weights`: marginal by marginal.
  DensityEstimator(TruncatedPrior prior, std::vector<Marginal> marginals, int ensemble,
                   DensityStack stack, std::vector<double> weights);

  std::string estimator() const override { return "density"; }
  Index data_size() const override { return stack_.data_size(); }
  using AmortizedPosterior::features;
  Matrix<float> features(MatrixView<const float> x) const override { return stack_.features(x); }
  Matrix<float> log_densities(Index marginal, const Matrix<float>& features,
                              MatrixView<const float> local) const override;
  std::vector<Matrix<float>> log_density_blocks(Index marginal, MatrixView<const float> features,
                                                MatrixView<const float> local) const override;
  // Where the joint posterior is all that was trained.
  std::optional<Matrix<double>> joint_samples(std::span<const double> x, Index rows,
                                              const Rng& rng) const override;
  std::vector<NamedArray> to_arrays() const override;

 private:
  std::vector<std::vector<int>> factors_;
  DensityStack stack_;
  std::vector<Index> members_;  // densities of the stack: factor by factor, `ensemble` of each
};

// Its row: what NPE and truncated NPE train.
const EstimatorKind& density_estimation();

// Trains factors of posterior densities given rows of x, which belong to the simulations of the
// request, `ensemble` networks each, in the coordinates of network_coordinates.h.
DensityResult train_posterior_factors(const EstimationRequest& request, const RowSource& x,
                                      const std::vector<std::vector<int>>& factors, int ensemble,
                                      const Rng& rng, ProcessGroup& group);

}  // namespace hone
