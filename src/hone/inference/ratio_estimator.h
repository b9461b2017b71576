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
  // Members of the stack: marginal by marginal, `ensemble` of each. `weights` as the members.
  RatioEstimator(TruncatedPrior prior, std::vector<Marginal> marginals, int ensemble,
                 RatioStack stack, std::vector<double> weights);

  const TruncatedPrior& prior() const { return prior_; }
  const std::vector<Marginal>& marginals() const { return marginals_; }
  Index find(const Marginal& marginal) const;  // Error{input} if it was not trained
  int ensemble() const { return ensemble_; }
  // Of the networks of a marginal in the average of their densities; they add up to 1.
  std::span<const double> weights(Index marginal) const;

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
  std::vector<double> weights_;
};

struct TrainedEstimator {
  RatioEstimator estimator;
  std::vector<MemberHistory> histories;  // as the members
};

// A network that did worse on the validation rows than the best of its ensemble counts less:
//
//   w ~ exp(-(loss - best loss) / s),     s = 1 / (3 sqrt(validation rows)),
//
// with s about the standard error of the difference of two losses. Equals are averaged, and one
// that learned nothing does not spoil the others.
std::vector<double> ensemble_weights(std::span<const MemberHistory> ensemble,
                                     std::size_t validation_rows);

// Standard deviation of what the networks of an ensemble say: one that counts little in the average
// cannot put it in doubt. 0 for a single network.
double ensemble_scatter(std::span<const double> values, std::span<const double> weights);

// MNRE: one ensemble per marginal on the data set.
TrainedEstimator train_marginals(const Dataset& data, const std::vector<Marginal>& marginals,
                                 int ensemble, const InferenceOptions& options, const Rng& rng,
                                 Observer& observer);

// Its two steps, for a team (hone/core/team.h) in which each process trains its own members: all
// do the first, and who has gathered the members the second.
TrainingResult train_stack(const Dataset& data, const std::vector<Marginal>& marginals,
                           int ensemble, const InferenceOptions& options, const Rng& rng,
                           Observer& observer, Team& team = no_team());
TrainedEstimator assemble(const Dataset& data, const std::vector<Marginal>& marginals, int ensemble,
                          TrainingResult result);

}  // namespace hone
