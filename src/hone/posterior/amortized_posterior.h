#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hone/core/named_array.h"
#include "hone/core/rng.h"
#include "hone/engine/trainer.h"
#include "hone/prior/marginals.h"
#include "hone/prior/truncated_prior.h"

namespace hone {

// Posteriors of some marginals, for any data vector that parameters inside a region can produce.
// How they were estimated (by a ratio, a density, a likelihood) is the derived class' own business.
// Those that are known for one observation alone refuse other data: Error{input}.
//
// Every marginal has an ensemble of networks. Parameters go in as local coordinates: uniform on
// (0, 1) under the truncated prior of their axis. A network says log p(theta | x) in them, up to a
// constant that may depend on x and the network: MarginalPosterior normalises and averages.
class AmortizedPosterior {
 public:
  virtual ~AmortizedPosterior() = default;

  // What made it, as the files of a run say it: "ratio".
  virtual std::string estimator() const = 0;

  // Whether the constants of its networks are nearly the same, so that they can be averaged as they
  // are.
  virtual bool normalized() const { return true; }

  const TruncatedPrior& prior() const { return prior_; }
  const std::vector<Marginal>& marginals() const { return marginals_; }
  bool has(const Marginal& marginal) const;
  Index find(const Marginal& marginal) const;  // Error{input} if it was not trained
  int ensemble() const { return ensemble_; }   // networks per marginal
  // Of the networks of a marginal in the average of their densities; they add up to 1.
  std::span<const double> weights(Index marginal) const;

  virtual Index data_size() const = 0;
  // What the networks see of data vectors (n, data size); for the functions below.
  virtual Matrix<float> features(MatrixView<const float> x) const = 0;
  // The same of one. Error{input} if it has another length.
  Matrix<float> features(std::span<const double> x) const;

  // out (ensemble, n): log density by every network of a marginal, for one x and n rows of local
  // coordinates (n, parameters of the marginal).
  virtual Matrix<float> log_densities(Index marginal, const Matrix<float>& features,
                                      MatrixView<const float> local) const = 0;

  // The same for many x, each with m thetas of its own: network by network, (n, m), for n rows of
  // features and n m rows of local coordinates.
  virtual std::vector<Matrix<float>> log_density_blocks(Index marginal,
                                                        MatrixView<const float> features,
                                                        MatrixView<const float> local) const = 0;

  // Marginals that networks were trained for, as their training curves come: those above, or the
  // joint posterior that they are projections of, or none.
  virtual std::vector<Marginal> trained() const { return marginals_; }
  virtual int curves() const { return ensemble_; }  // training curves of each of them

  // The same posteriors, perhaps less precise, for those who ask about thousands of data vectors,
  // or want an ensemble that can vote: of several estimators the first, an ensemble of ratio
  // networks.
  virtual const AmortizedPosterior& quick() const { return *this; }

  // For people, where several estimators answer: how much each of them counts. Empty: there is one.
  virtual std::string describe_shares() const { return {}; }

  // Where the answer to x is made of weighted draws: as how many equal ones they count,
  // 1 / sum of squared weights.
  virtual std::optional<double> effective_draws(std::span<const double> /*x*/) const {
    return std::nullopt;
  }

  // Whether it is made of such draws, hundreds for every x: it takes long to answer.
  virtual bool weighted_draws() const { return false; }

  // Samples of all parameters at once (rows, parameters of the prior), where there is a joint
  // posterior to draw them from: its projections need no estimate of their own.
  virtual std::optional<Matrix<double>> joint_samples(std::span<const double> /*x*/, Index /*rows*/,
                                                      const Rng& /*rng*/) const {
    return std::nullopt;
  }

  // The same posterior for other marginals, where no training is needed for them; else null.
  virtual std::shared_ptr<const AmortizedPosterior> with_marginals(
      const std::vector<Marginal>& /*marginals*/) const {
    return nullptr;
  }

  // All of it but the prior and the region. EstimatorKind::load (hone/estimate/estimator.h) reads
  // it back.
  virtual std::vector<NamedArray> to_arrays() const = 0;

  // Where several estimators of the same marginals answer together: each of them. None: it is one.
  virtual std::span<const std::shared_ptr<const AmortizedPosterior>> parts() const { return {}; }

 protected:
  // `weights`: marginal by marginal, `ensemble` of each.
  AmortizedPosterior(TruncatedPrior prior, std::vector<Marginal> marginals, int ensemble,
                     std::vector<double> weights);
  const std::vector<double>& all_weights() const { return weights_; }

 private:
  TruncatedPrior prior_;
  std::vector<Marginal> marginals_;
  int ensemble_;
  std::vector<double> weights_;
};

using SharedPosterior = std::shared_ptr<const AmortizedPosterior>;

// With the training curves of its networks: marginal by marginal, `ensemble` of each.
struct TrainedPosterior {
  SharedPosterior posterior;
  std::vector<MemberHistory> histories = {};
};

// Standard deviation of what the networks of an ensemble say: one that counts little in the average
// cannot put it in doubt. 0 for a single network.
double ensemble_scatter(std::span<const double> values, std::span<const double> weights);

}  // namespace hone
