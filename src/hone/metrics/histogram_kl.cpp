#include "hone/metrics/histogram_kl.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hone/core/error.h"

namespace hone {

void HistogramKlOptions::validate() const {
  if (bins < 1) fail(ErrorKind::input, "kl.bins = {}: must be 1 or greater", bins);
  if (range && !(range->first < range->second && std::isfinite(range->second - range->first))) {
    fail(ErrorKind::input, "kl.range = {} .. {}: must be finite and in order", range->first,
         range->second);
  }
}

namespace {

constexpr double kPseudoCount = 0.5;

void check(std::span<const double> sample, const char* name) {
  if (sample.empty()) fail(ErrorKind::input, "kl: sample {} is empty", name);
  for (const double value : sample) {
    if (!std::isfinite(value)) {
      fail(ErrorKind::input, "kl: sample {} has the value {}: all must be finite", name, value);
    }
  }
}

std::vector<double> probabilities(std::span<const double> sample, double low, double high,
                                  int bins) {
  std::vector<double> counts(static_cast<std::size_t>(bins), kPseudoCount);
  for (const double value : sample) {
    const double bin = std::floor((value - low) / (high - low) * bins);
    counts[static_cast<std::size_t>(std::clamp(bin, 0.0, bins - 1.0))] += 1;
  }
  const double total = static_cast<double>(sample.size()) + kPseudoCount * bins;
  for (double& count : counts) count /= total;
  return counts;
}

}  // namespace

double histogram_kl(std::span<const double> p, std::span<const double> q,
                    const HistogramKlOptions& options) {
  options.validate();
  check(p, "p");
  check(q, "q");
  const auto [p_low, p_high] = std::ranges::minmax(p);
  const auto [q_low, q_high] = std::ranges::minmax(q);
  const auto [low, high] =
      options.range.value_or(std::pair(std::min(p_low, q_low), std::max(p_high, q_high)));
  if (!(low < high)) fail(ErrorKind::input, "kl: all values of both samples are {}", low);
  const std::vector<double> p_bins = probabilities(p, low, high, options.bins);
  const std::vector<double> q_bins = probabilities(q, low, high, options.bins);
  double sum = 0;
  for (std::size_t i = 0; i < p_bins.size(); ++i)
    sum += p_bins[i] * std::log(p_bins[i] / q_bins[i]);
  return sum;
}

double histogram_kl_bias(Index p_draws, Index q_draws, int bins) {
  return 0.5 * (bins - 1) * (1 / static_cast<double>(p_draws) + 1 / static_cast<double>(q_draws));
}

}  // namespace hone
