#pragma once

#include <string>
#include <vector>

#include "hone/core/rng.h"
#include "hone/posterior/marginal_posterior.h"

namespace hone {

// Draws from the truncated prior with weights proportional to the posterior over it.
struct WeightedSamples {
  Matrix<double> theta;         // (n, dimensions of the marginal)
  std::vector<double> weights;  // sum to 1
  double effective_size = 0;    // 1 / sum of squared weights
};
WeightedSamples weighted_samples(const MarginalPosterior& posterior, Index rows, const Rng& rng);

// `rows` draws of these, each with its weight as its probability: equally weighted, but no more
// independent than the effective size allows.
Matrix<double> resample(const WeightedSamples& samples, Index rows, const Rng& rng);

struct SamplingOptions {
  double min_acceptance = 1e-4;  // of rejection; below this, MCMC takes its place
};

struct PosteriorSamples {
  Matrix<double> theta;       // (n, dimensions of the marginal), equally weighted
  std::string method;         // "rejection" or "mcmc"
  double acceptance = 0;      // of rejection, or of the MCMC proposals
  double effective_size = 0;  // n for rejection, whose draws are independent
};

// `rows` posterior samples. Rejection from an envelope of the density (hone/posterior/envelope.h),
// exact and independent; if that is hopeless, an affine-invariant ensemble MCMC on the same
// density. Bounded work in either case.
PosteriorSamples sample_posterior(const MarginalPosterior& posterior, Index rows, const Rng& rng,
                                  const SamplingOptions& options = {});

}  // namespace hone
