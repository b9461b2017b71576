#pragma once

#include "hone/posterior/amortized_posterior.h"
#include "hone/posterior/sample_density.h"

namespace hone {

// A posterior that is known by weighted samples, for one observation: what approximate Bayesian
// computation and MCMC give. Marginals are kernel densities of the samples (sample_density.h).
// Other data are refused.
class SamplePosterior final : public AmortizedPosterior {
 public:
  // samples (n, parameters): local coordinates of the prior.
  SamplePosterior(TruncatedPrior prior, const std::vector<Marginal>& marginals,
                  std::vector<double> observation, WeightedPoints samples);
  // From to_arrays(); Error{io} if they do not fit.
  static SharedPosterior load(const Prior& prior, const Region& region,
                              std::span<const NamedArray> arrays);

  static constexpr const char* kName = "samples";
  std::string estimator() const override { return kName; }
  Index data_size() const override { return std::ssize(observation_); }
  using AmortizedPosterior::features;
  // The data themselves.
  Matrix<float> features(MatrixView<const float> x) const override;
  Matrix<float> log_densities(Index marginal, const Matrix<float>& features,
                              MatrixView<const float> local) const override;
  std::vector<Matrix<float>> log_density_blocks(Index marginal, MatrixView<const float> features,
                                                MatrixView<const float> local) const override;
  std::vector<Marginal> trained() const override { return {}; }
  // From the kernel density of all parameters.
  std::optional<Matrix<double>> joint_samples(std::span<const double> x, Index rows,
                                              const Rng& rng) const override;
  SharedPosterior with_marginals(const std::vector<Marginal>& marginals) const override;
  std::vector<NamedArray> to_arrays() const override;

  const WeightedPoints& samples() const { return samples_; }

 private:
  void require_observation(std::span<const float> x) const;

  std::vector<double> observation_;
  WeightedPoints samples_;
  std::vector<SampleDensity> densities_;  // of the marginals
};

inline constexpr const char* kMarginalsArray = "marginals";
// Lists of parameters as an array (marginals, longest), filled up with -1; and back, Error{io}.
NamedArray marginals_to_array(const std::vector<Marginal>& marginals);
std::vector<Marginal> marginals_from_arrays(std::span<const NamedArray> arrays, int dimensions);

}  // namespace hone
