#include "hone/metrics/effective_size.h"

#include <algorithm>

namespace hone {

double autocorrelation_time(MatrixView<const double> chains) {
  const Index steps = chains.rows(), walkers = chains.cols();
  HONE_ASSERT(steps > 0 && walkers > 0);
  double mean = 0;
  for (Index t = 0; t < steps; ++t) {
    for (Index w = 0; w < walkers; ++w) mean += chains(t, w);
  }
  mean /= static_cast<double>(steps * walkers);
  const auto covariance = [&](Index lag) {
    double sum = 0;
    for (Index t = 0; t + lag < steps; ++t) {
      for (Index w = 0; w < walkers; ++w) {
        sum += (chains(t, w) - mean) * (chains(t + lag, w) - mean);
      }
    }
    return sum / static_cast<double>((steps - lag) * walkers);
  };
  const double variance = covariance(0);
  if (!(variance > 0)) return static_cast<double>(steps);
  double time = 1;
  for (Index lag = 1; lag < steps && static_cast<double>(lag) <= 5 * time; ++lag) {
    time += 2 * covariance(lag) / variance;
  }
  return std::max(1.0, time);
}

double effective_size(MatrixView<const double> chains) {
  return static_cast<double>(chains.rows() * chains.cols()) / autocorrelation_time(chains);
}

double effective_size_of_weights(std::span<const double> weights) {
  double sum = 0, square = 0;
  for (const double weight : weights) {
    sum += weight;
    square += weight * weight;
  }
  return square > 0 ? sum * sum / square : 0;
}

}  // namespace hone
