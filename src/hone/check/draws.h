#pragma once

#include <functional>
#include <vector>

#include "hone/core/observer.h"
#include "hone/posterior/amortized_posterior.h"
#include "hone/posterior/correction.h"

namespace hone {

// Points on which a posterior is computed for each test draw (hone/posterior/lattice.h). The tests
// are exact for any number; more points show finer faults. benchmarks/check.cpp measures what they
// cost.
struct RankOptions {
  Index points_1d = 160;
  Index points_2d = 144;
  Index points_more = 1021;
  Index batch = 512;                 // draws at a time
  Index most_dimensions = 1 << 20;   // marginals of more parameters are left out
  Correction correction = {};        // of the posteriors that are tested
  std::vector<double> powers = {1};  // further powers of the densities, for `credibility`
};

// What the posterior of a marginal says about the true value of every test draw.
struct MarginalRanks {
  Marginal marginal;
  Matrix<double>
      credibility;          // (powers, draws): posterior mass of higher density, per unit of theta
  std::vector<double> cdf;  // 1-d: posterior CDF of the true value
  std::vector<double> nearer;  // 2-d and more: posterior mass nearer to a random point (TARP)
  std::vector<double> mean, deviation;  // 1-d: of the posterior, in local coordinates
  Matrix<double> part_mean;  // (parts, draws); 1-d, of a combined posterior: by each part alone
};

// True values, as local coordinates (n, parameters), and the data simulated from them, as
// features (n, ...): what the estimator's networks see of them.
struct TestDraws {
  MatrixView<const float> features;
  MatrixView<const double> local;
  Index first = 0;  // number of the first row among all draws, which names its random stream
};

// Posteriors for many data vectors: log density of each network of a marginal, (n, m) for n rows of
// features with m rows of local coordinates each.
struct BlockPosteriors {
  TruncatedPrior prior;
  std::vector<Marginal> marginals;
  std::function<std::vector<Matrix<float>>(
      const Marginal& marginal, MatrixView<const float> features, MatrixView<const float> local)>
      log_densities;
  // Of the networks of a marginal in their average; none: equal ones.
  std::function<std::span<const double>(const Marginal& marginal)> weights = nullptr;
  // Of a combined posterior: networks of each part, which follow each other.
  std::vector<Index> parts = {};
};
BlockPosteriors block_posteriors(const AmortizedPosterior& estimator);  // which must outlive it

// (n, cells): 1-d posteriors for n rows of features, as masses on an even grid of the local
// coordinate. A few hundred rows at a time: all of them are evaluated at once.
Matrix<double> posterior_masses(const BlockPosteriors& posteriors, const Marginal& marginal,
                                MatrixView<const float> features, Index cells);

// Ranks of the marginals. Advances the stage "check" of the observer, by draws.
std::vector<MarginalRanks> rank_draws(const BlockPosteriors& posteriors, const TestDraws& draws,
                                      const Rng& rng, Observer& observer,
                                      const RankOptions& options = {});

}  // namespace hone
