#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "hone/posterior/amortized_posterior.h"
#include "hone/posterior/sample_density.h"

namespace hone {

// Marginals of a joint posterior: an estimator of all parameters together is sampled, and each
// marginal is a kernel density of the samples' columns (sample_density.h). The joint posterior
// itself, if it is among the marginals, is what the networks say.
//
// Samples come from the average of the networks by tempered sampling (tempered_sampling.h); every
// network then has its own weights on them. For given data they are always the same.
class JointPosterior final : public AmortizedPosterior {
 public:
  // all: has the marginal of all parameters.
  JointPosterior(SharedPosterior all, const std::vector<Marginal>& marginals);

  std::string estimator() const override { return "joint_" + all_->estimator(); }
  Index data_size() const override { return all_->data_size(); }
  using AmortizedPosterior::features;
  Matrix<float> features(MatrixView<const float> x) const override { return all_->features(x); }
  Matrix<float> log_densities(Index marginal, const Matrix<float>& features,
                              MatrixView<const float> local) const override;
  // From fewer samples than log_densities(): there are many x.
  std::vector<Matrix<float>> log_density_blocks(Index marginal, MatrixView<const float> features,
                                                MatrixView<const float> local) const override;
  std::vector<Marginal> trained() const override;
  std::optional<Matrix<double>> joint_samples(std::span<const double> x, Index rows,
                                              const Rng& rng) const override;
  SharedPosterior with_marginals(const std::vector<Marginal>& marginals) const override;
  // Those of the estimator, with the projections as its marginals.
  std::vector<NamedArray> to_arrays() const override;

 private:
  // Points, and for each network their weights, which add up to 1.
  struct Samples {
    Matrix<double> local;  // (n, parameters)
    std::vector<std::vector<double>> weights;
  };
  std::vector<double> log_constants(const Matrix<float>& features, const Rng& rng) const;
  Samples draw(const Matrix<float>& features, Index count, const Rng& rng) const;
  std::shared_ptr<const Samples> samples_at(std::span<const float> features, Index count) const;
  bool is_joint(Index marginal) const;
  void project(Matrix<float>& out, Index marginal, const Samples& samples,
               MatrixView<const float> local, Index selection) const;

  SharedPosterior all_;
  Index joint_;  // number of the joint marginal in all_
  // By features and count: what was drawn for the last few hundred data vectors.
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::vector<float>, Index>, std::shared_ptr<const Samples>> known_;
};

}  // namespace hone
