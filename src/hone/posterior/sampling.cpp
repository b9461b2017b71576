#include "hone/posterior/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hone/core/error.h"
#include "hone/posterior/ensemble_mcmc.h"
#include "hone/posterior/envelope.h"

namespace hone {
namespace {

constexpr Index kBatch = 16384;

Matrix<double> to_theta(const MarginalPosterior& posterior, MatrixView<const float> local) {
  Matrix<double> theta(local.rows(), local.cols());
  for (Index i = 0; i < local.rows(); ++i) {
    for (Index j = 0; j < local.cols(); ++j) {
      const int d = posterior.marginal()[static_cast<std::size_t>(j)];
      // A float may round to the very ends, which have no density of their own.
      const double inside = std::clamp(static_cast<double>(local(i, j)), 1e-9, 1 - 1e-9);
      theta(i, j) = posterior.prior().to_theta(d, inside);
    }
  }
  return theta;
}

// Normalised weights of draws from the prior.
std::vector<double> normalized_weights(std::span<const double> log_density) {
  const double peak = *std::ranges::max_element(log_density);
  std::vector<double> weights;
  for (const double value : log_density) weights.push_back(std::exp(value - peak));
  const double sum = std::reduce(weights.begin(), weights.end());
  for (double& weight : weights) weight /= sum;
  return weights;
}

struct Accepted {
  Matrix<float> points;
  Index count = 0, proposed = 0;
  double excess = 0;  // of a log density over the envelope; above 0: the envelope is wrong
};

// Accepts u with probability density(u) / envelope(u). Ends early when a density above the envelope
// turns up: the caller raises it and starts again, so that no draw was made under a wrong one.
Accepted reject(const MarginalPosterior& posterior, const Envelope& envelope, Index rows,
                Index max_proposals, const Rng& rng) {
  Accepted result{Matrix<float>(rows, posterior.dimensions()), 0, 0, 0};
  for (Index batch = 0; result.count < rows && result.proposed < max_proposals; ++batch) {
    const auto number = static_cast<std::uint64_t>(batch);
    const auto proposals = envelope.propose(kBatch, rng.child("proposal", number));
    std::vector<double> log_ratio = posterior.log_density_local(proposals.points);
    for (std::size_t i = 0; i < log_ratio.size(); ++i) {
      log_ratio[i] -= proposals.log_bound[i];
      if (log_ratio[i] > result.excess) result.excess = log_ratio[i];
    }
    if (result.excess > 0) break;
    Rng coin = rng.child("accept", number);
    for (Index i = 0; i < kBatch && result.count < rows; ++i) {
      ++result.proposed;
      if (!(std::log(coin.uniform()) < log_ratio[static_cast<std::size_t>(i)])) continue;
      std::ranges::copy(proposals.points.row(i), result.points.row(result.count++).begin());
    }
  }
  return result;
}

// Walkers start where importance sampling puts them, so that every mode has its share.
PosteriorSamples sample_by_mcmc(const MarginalPosterior& posterior, Index rows, const Rng& rng) {
  const Matrix<float> points =
      uniform_points(4 * kBatch, posterior.dimensions(), rng.child("start"));
  const WeightedPick pick_row(normalized_weights(posterior.log_density_local(points)));
  Matrix<double> walkers(EnsembleMcmcOptions{}.walkers, posterior.dimensions());
  Rng pick = rng.child("pick");
  for (Index w = 0; w < walkers.rows(); ++w) {
    const Index row = pick_row(pick);
    // A little scatter: walkers on one point would move in a subspace for ever.
    for (Index d = 0; d < walkers.cols(); ++d) {
      const double scattered = static_cast<double>(points(row, d)) + 1e-4 * pick.normal();
      walkers(w, d) = std::clamp(scattered, 1e-6, 1 - 1e-6);
    }
  }
  const auto log_density = [&](const Matrix<double>& at) {
    Matrix<float> local(at.rows(), at.cols());
    for (Index i = 0; i < at.rows(); ++i) {
      std::ranges::transform(at.row(i), local.row(i).begin(),
                             [](double value) { return static_cast<float>(value); });
    }
    return posterior.log_density_local(local);
  };
  const EnsembleMcmcResult chain =
      ensemble_mcmc(log_density, std::move(walkers), rows, rng.child("mcmc"));
  Matrix<float> local(rows, posterior.dimensions());
  for (Index i = 0; i < rows; ++i) {
    std::ranges::transform(chain.points.row(i), local.row(i).begin(),
                           [](double value) { return static_cast<float>(value); });
  }
  return {to_theta(posterior, local), "mcmc", chain.acceptance, chain.effective_size};
}

}  // namespace

WeightedSamples weighted_samples(const MarginalPosterior& posterior, Index rows, const Rng& rng) {
  HONE_ASSERT(rows >= 1);
  const Matrix<float> points = uniform_points(rows, posterior.dimensions(), rng.child("weighted"));
  WeightedSamples result{to_theta(posterior, points),
                         normalized_weights(posterior.log_density_local(points)), 0};
  const double squares =
      std::inner_product(result.weights.begin(), result.weights.end(), result.weights.begin(), 0.0);
  result.effective_size = 1 / squares;
  return result;
}

Matrix<double> resample(const WeightedSamples& samples, Index rows, const Rng& rng) {
  const WeightedPick pick_row(samples.weights);
  Rng pick = rng.child("resample");
  Matrix<double> result(rows, samples.theta.cols());
  for (Index i = 0; i < rows; ++i) {
    std::ranges::copy(samples.theta.row(pick_row(pick)), result.row(i).begin());
  }
  return result;
}

PosteriorSamples sample_posterior(const MarginalPosterior& posterior, Index rows, const Rng& rng,
                                  const SamplingOptions& options) {
  HONE_ASSERT(rows >= 1);
  Envelope envelope(posterior, rng.child("bound"));
  constexpr int kRestarts = 30;
  for (int attempt = 0; attempt < kRestarts; ++attempt) {
    const double expected = envelope.acceptance();
    if (expected < options.min_acceptance) break;
    const auto max_proposals =
        static_cast<Index>(2 * static_cast<double>(rows + 100) / expected) + 4 * kBatch;
    const Accepted accepted = reject(posterior, envelope, rows, max_proposals, rng);
    if (accepted.count == rows) {
      const double acceptance =
          static_cast<double>(accepted.count) / static_cast<double>(accepted.proposed);
      return {to_theta(posterior, accepted.points), "rejection", acceptance,
              static_cast<double>(rows)};
    }
    if (accepted.excess <= 0) break;  // far fewer than expected: not worth another try
    envelope.raise(accepted.excess + 0.1);
  }
  return sample_by_mcmc(posterior, rows, rng);
}

}  // namespace hone
