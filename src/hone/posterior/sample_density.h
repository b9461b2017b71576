#pragma once

#include <memory>
#include <optional>

#include "hone/posterior/kernel_density.h"
#include "hone/prior/marginals.h"
#include "hone/prior/truncated_prior.h"

namespace hone {

// The posterior density of a marginal as weighted samples show it: a kernel density of its columns,
// and of one part in 10^10 the prior, so that no place is impossible.
//
// Between finite bounds kernels act on the local coordinate and are reflected at its ends; without
// bounds on the normal quantile of u, in which a normal prior is a standard normal.
class SampleDensity {
 public:
  // local (n, parameters of the prior): samples in local coordinates. `prior` must outlive it.
  SampleDensity(const TruncatedPrior& prior, Marginal marginal, const WeightedPoints& local,
                Index selection = 400);

  // With respect to local coordinates, at rows (n, parameters of the marginal).
  void log_densities(std::span<float> out, MatrixView<const float> local) const;

  // Local coordinates (rows, parameters of the marginal). Row i depends on rng and i only.
  Matrix<double> draw(Index rows, const Rng& rng) const;

 private:
  const TruncatedPrior& prior_;
  Marginal marginal_;
  std::vector<bool> bounded_;
  std::optional<KernelDensity> density_;
};

// Rows of local coordinates of all parameters as theta; the very ends, which have no density of
// their own, are kept out.
Matrix<double> local_to_theta(const TruncatedPrior& prior, MatrixView<const double> local);

}  // namespace hone
