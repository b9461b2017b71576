#pragma once

#include <optional>
#include <span>
#include <utility>

#include "hone/core/matrix.h"

namespace hone {

struct HistogramKlOptions {
  int bins = 100;  // as in the paper; >= 1
  // Of the histograms; values outside count in the first or last bin. Without: all of both samples.
  std::optional<std::pair<double, double>> range = std::nullopt;

  void validate() const;
};

// Kullback-Leibler divergence KL(p || q) in nats of two one-dimensional samples, from histograms
// with equal bins. Every bin starts with half a count, so that an empty bin of q is not infinite.
// The value depends on the bins and on the numbers of draws: compare only what has both in common.
// Throws Error{input} for an empty sample, a value that is not finite, or a sample without spread.
double histogram_kl(std::span<const double> p, std::span<const double> q,
                    const HistogramKlOptions& options = {});

// What to expect if p and q are equal, to first order in 1 / n: (bins - 1) / 2 (1 / n + 1 / m).
// Smaller where bins are empty.
double histogram_kl_bias(Index p_draws, Index q_draws, int bins);

}  // namespace hone
