#pragma once

#include <span>
#include <vector>

#include "hone/core/named_array.h"
#include "hone/core/observer.h"
#include "hone/inference/options.h"
#include "hone/inference/simulations.h"
#include "hone/prior/marginals.h"
#include "hone/prior/truncated_prior.h"

namespace hone {

// Ensembles of networks, one per marginal, that estimate r(x, theta) = p(x | theta) / p(x) inside a
// region. Parameters go in as local coordinates: uniform on (0, 1) under the truncated prior of
// their axis, so that r is the posterior density in them.
//
// Negatives are drawn from all simulations that were tried, failed ones too: they stand for the
// truncated prior. Where simulations fail, r is then the posterior given that data exist.
class RatioEstimator {
 public:
  // Members of the stack: marginal by marginal, `ensemble` of each.
  RatioEstimator(TruncatedPrior prior, std::vector<Marginal> marginals, int ensemble,
                 RatioStack stack);

  const TruncatedPrior& prior() const { return prior_; }
  const std::vector<Marginal>& marginals() const { return marginals_; }
  Index find(const Marginal& marginal) const;  // Error{input} if it was not trained
  int ensemble() const { return ensemble_; }

  // What the networks see of one data vector; for log_ratios.
  Matrix<float> features(std::span<const double> x) const;

  // The same for many data vectors (n, data size).
  Matrix<float> features(MatrixView<const float> x) const { return stack_.features(x); }

  // out (ensemble, n): log ratio by every network of a marginal, for one x and n rows of local
  // coordinates (n, parameters of the marginal).
  Matrix<float> log_ratios(Index marginal, const Matrix<float>& features,
                           MatrixView<const float> local) const;

  // The same for many x, each with m thetas of its own: network by network, (n, m), for n rows of
  // features and n m rows of local coordinates.
  std::vector<Matrix<float>> log_ratio_blocks(Index marginal, MatrixView<const float> features,
                                              MatrixView<const float> local) const;

  std::vector<NamedArray> to_arrays() const;
  static RatioEstimator from_arrays(const Prior& prior, const Region& region,
                                    std::span<const NamedArray> arrays);

 private:
  TruncatedPrior prior_;
  std::vector<Marginal> marginals_;
  int ensemble_;
  RatioStack stack_;
};

struct TrainedEstimator {
  RatioEstimator estimator;
  std::vector<MemberHistory> histories;  // as the members
};

// MNRE: one ensemble per marginal on the data set.
TrainedEstimator train_marginals(const Dataset& data, const std::vector<Marginal>& marginals,
                                 int ensemble, const InferenceOptions& options, const Rng& rng,
                                 Observer& observer);

}  // namespace hone
