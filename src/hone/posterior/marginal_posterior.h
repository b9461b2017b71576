#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hone/posterior/amortized_posterior.h"

namespace hone {

// (networks, n): log density by every network of an ensemble, up to a constant of each, at n rows
// of local coordinates.
using LogDensities = std::function<Matrix<float>(MatrixView<const float> local)>;

// The posterior of one marginal for one data vector: the densities of an ensemble, each network's
// normalised over the truncated prior, then averaged as densities, with weights. With a power below
// 1 it is wider: the averaged density to that power, normalised again
// (hone/posterior/correction.h).
//
// Where the region has a constraint, the joint posterior of all parameters is exactly zero outside
// of it. A marginal of some of the parameters cannot be asked: its networks have learned from
// simulations inside how much of the constraint's other directions each place has.
class MarginalPosterior {
 public:
  // `marginal`: the parameters of `prior` that the columns of the local coordinates are.
  // `weights` of the networks add up to 1; none: equal ones.
  MarginalPosterior(TruncatedPrior prior, Marginal marginal, LogDensities log_densities,
                    double power = 1, std::vector<double> weights = {});

  // x: any data vector inside the region. `posteriors` must outlive the posterior.
  MarginalPosterior(const AmortizedPosterior& posteriors, const Marginal& marginal,
                    std::span<const double> x, double power = 1);

  const Marginal& marginal() const { return marginal_; }
  Index dimensions() const { return static_cast<Index>(marginal_.size()); }
  const TruncatedPrior& prior() const { return prior_; }
  const std::vector<double>& weights() const { return weights_; }  // of the networks

  // Log density at local coordinates (n, dimensions), with respect to them.
  std::vector<double> log_density_local(MatrixView<const float> local) const;
  // Log density at theta (n, dimensions), in its units; -infinity outside the region's intervals
  // and, of all parameters, outside its constraint.
  std::vector<double> log_density(MatrixView<const double> theta) const;

  // (ensemble, n): normalised log densities of the single networks, for their spread. The power
  // does not apply to them.
  Matrix<double> member_log_densities(MatrixView<const float> local) const;

 private:
  Matrix<float> raw_log_densities(MatrixView<const float> local) const;

  TruncatedPrior prior_;
  Marginal marginal_;
  LogDensities log_densities_;
  std::vector<double> weights_;
  std::vector<double> log_normalizer_;  // per network: log of the mean of r over the prior
  double power_ = 1;
  double log_power_normalizer_ = 0;
};

// Centres of a regular grid of cells^dimensions in local coordinates, last axis fastest.
Matrix<float> local_grid(Index cells, Index dimensions);

}  // namespace hone
