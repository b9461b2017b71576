#include "hone/posterior/ensemble_mcmc.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/core/error.h"
#include "hone/metrics/effective_size.h"

namespace hone {
namespace {

using LogDensity = std::function<std::vector<double>(const Matrix<double>&)>;

struct Chain {
  Matrix<double> walkers;
  std::vector<double> density;
  Index accepted = 0, proposed = 0;
};

// Moves walkers first .. first + half - 1 along lines through walkers of the other half:
// y = c + z (w - c), accepted with probability min(1, z^(d-1) p(y) / p(w)).
void move_half(Chain& chain, Index first, const LogDensity& log_density, double stretch, Rng& rng) {
  const Index half = chain.walkers.rows() / 2, dimensions = chain.walkers.cols();
  Matrix<double> proposal(half, dimensions);
  std::vector<double> log_factor(static_cast<std::size_t>(half));
  for (Index i = 0; i < half; ++i) {
    // z has density 1 / sqrt(z) on [1 / a, a].
    const double root = 1 + (stretch - 1) * rng.uniform();
    const double z = root * root / stretch;
    const Index guide = (half - first) + static_cast<Index>(rng.below(std::uint64_t(half)));
    bool inside = true;
    for (Index d = 0; d < dimensions; ++d) {
      const double c = chain.walkers(guide, d);
      const double y = c + z * (chain.walkers(first + i, d) - c);
      inside = inside && y > 0 && y < 1;
      proposal(i, d) = std::clamp(y, 0.0, 1.0);
    }
    log_factor[std::size_t(i)] = inside ? static_cast<double>(dimensions - 1) * std::log(z)
                                        : -std::numeric_limits<double>::infinity();
  }
  const std::vector<double> density = log_density(proposal);
  for (Index i = 0; i < half; ++i) {
    const double old = chain.density[std::size_t(first + i)];
    const double gain = log_factor[std::size_t(i)] + density[std::size_t(i)] - old;
    ++chain.proposed;
    if (!(std::log(rng.uniform()) < gain)) continue;
    ++chain.accepted;
    chain.density[std::size_t(first + i)] = density[std::size_t(i)];
    std::ranges::copy(proposal.row(i), chain.walkers.row(first + i).begin());
  }
}

// (sweeps, walkers)
Matrix<double> coordinate(const std::vector<Matrix<double>>& sweeps, Index d) {
  Matrix<double> out(static_cast<Index>(sweeps.size()), sweeps[0].rows());
  for (Index t = 0; t < out.rows(); ++t) {
    for (Index w = 0; w < out.cols(); ++w) out(t, w) = sweeps[std::size_t(t)](w, d);
  }
  return out;
}

}  // namespace

EnsembleMcmcResult ensemble_mcmc(const LogDensity& log_density, Matrix<double> walkers, Index rows,
                                 const Rng& rng, const EnsembleMcmcOptions& options) {
  HONE_ASSERT(walkers.rows() == options.walkers && options.walkers % 2 == 0);
  const Index dimensions = walkers.cols();
  Chain chain{std::move(walkers), {}, 0, 0};
  chain.density = log_density(chain.walkers);
  const Index kept = (rows + options.walkers - 1) / options.walkers;
  std::vector<Matrix<double>> sweeps;
  for (Index sweep = 0; sweep < options.burn_in + kept * options.thin; ++sweep) {
    Rng moves = rng.child("sweep", static_cast<std::uint64_t>(sweep));
    move_half(chain, 0, log_density, options.stretch, moves);
    move_half(chain, options.walkers / 2, log_density, options.stretch, moves);
    const Index after = sweep - options.burn_in + 1;
    if (after <= 0 || after % options.thin != 0) continue;
    Matrix<double> copy(options.walkers, dimensions);
    std::ranges::copy(std::span(chain.walkers.data(), std::size_t(options.walkers * dimensions)),
                      copy.data());
    sweeps.push_back(std::move(copy));
  }
  EnsembleMcmcResult result{Matrix<double>(rows, dimensions), 0, 0};
  for (Index i = 0; i < rows; ++i) {
    std::ranges::copy(sweeps[std::size_t(i / options.walkers)].row(i % options.walkers),
                      result.points.row(i).begin());
  }
  double longest = 1;
  for (Index d = 0; d < dimensions; ++d) {
    longest = std::max(longest, autocorrelation_time(coordinate(sweeps, d)));
  }
  result.acceptance = static_cast<double>(chain.accepted) / static_cast<double>(chain.proposed);
  result.effective_size = static_cast<double>(rows) / longest;
  return result;
}

}  // namespace hone
