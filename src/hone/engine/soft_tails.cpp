#include "hone/engine/soft_tails.h"

#include <algorithm>
#include <cmath>

#include <boost/math/special_functions/erf.hpp>

namespace hone {
namespace {

struct Softening {
  float center = 0, softness = 0;  // softness 0: none
};

float apply(const Softening& s, float value) {
  return s.softness == 0 ? value : std::asinh((value - s.center) / s.softness);
}

// Rows that decide: enough for the correlations below to a few 0.001, and no more than 32 MiB.
std::vector<Index> some_rows(std::span<const Index> rows, Index cols) {
  const std::size_t most =
      static_cast<std::size_t>(std::clamp<Index>((Index{8} << 20) / cols, 256, 4096));
  std::vector<Index> some;
  const std::size_t step = (rows.size() + most - 1) / most;
  for (std::size_t i = 0; i < rows.size(); i += step) some.push_back(rows[i]);
  return some;
}

// Standard normal quantiles of (i + 1/2) / n.
std::vector<double> normal_scores(std::size_t n) {
  std::vector<double> scores(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double u = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
    scores[i] = -std::sqrt(2.0) * boost::math::erfc_inv(2 * u);
  }
  return scores;
}

// Correlation of the sorted values with normal scores (Shapiro and Francia): 1 for a Gaussian, 0.98
// for a uniform distribution, 0.76 for a lognormal one of width 1. Minus infinity for a constant.
double gaussianity(std::span<const float> sorted, const Softening& s,
                   std::span<const double> scores) {
  const double n = static_cast<double>(sorted.size());
  double sum = 0, square = 0, product = 0, score_square = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double y = static_cast<double>(apply(s, sorted[i]));
    sum += y;
    square += y * y;
    product += y * scores[i];
    score_square += scores[i] * scores[i];
  }
  const double variance = square - sum * sum / n;
  if (!(variance > 1e-12 * square)) return -INFINITY;
  return product / std::sqrt(variance * score_square);
}

// Both ends around the median; for values of one sign also a logarithm of all but the smallest,
// with two ideas of what is small.
std::vector<Softening> candidates(std::span<const float> sorted) {
  const std::size_t n = sorted.size();
  std::vector<Softening> result{{sorted[n / 2], sorted[n * 3 / 4] - sorted[n / 4]}};
  if (sorted.front() >= 0) {
    const auto positive = std::ranges::upper_bound(sorted, 0.0F);
    result.push_back({0, sorted[n / 20]});
    if (positive != sorted.end()) result.push_back({0, *positive});
  } else if (sorted.back() <= 0) {
    result.push_back({0, -sorted[n - 1 - n / 20]});
  }
  std::erase_if(result, [](const Softening& s) { return !(s.softness > 0); });
  return result;
}

Softening best_softening(std::span<const float> sorted, std::span<const double> scores) {
  // A Gaussian column gains nothing, and what is gained by less is not worth a bend.
  constexpr double kGain = 0.02;
  Softening best;
  double best_value = gaussianity(sorted, best, scores) + kGain;
  if (!std::isfinite(best_value)) return best;
  for (const Softening& candidate : candidates(sorted)) {
    const double value = gaussianity(sorted, candidate, scores);
    if (value > best_value) {
      best = candidate;
      best_value = value;
    }
  }
  return best;
}

}  // namespace

void soften_tails(Standardizer& scores, const RowSource& table, std::span<const Index> rows) {
  const std::vector<Index> some = some_rows(rows, table.cols());
  if (some.size() < 20) return;
  Matrix<float> values(static_cast<Index>(some.size()), table.cols());
  table.read(values, some);
  const std::vector<double> quantiles = normal_scores(some.size());
  std::vector<float> column;
  const std::size_t cols = static_cast<std::size_t>(table.cols());
  std::vector<float> center(cols), softness(cols);
  for (std::size_t j = 0; j < cols; ++j) {
    column.clear();
    for (Index i = 0; i < values.rows(); ++i) {
      const float value = values(i, static_cast<Index>(j));
      if (!std::isnan(value)) column.push_back(value);  // a value that is missing
    }
    if (column.size() < 20) continue;
    std::ranges::sort(column);
    const bool all = column.size() == some.size();
    const Softening best = best_softening(column, all ? quantiles : normal_scores(column.size()));
    center[j] = best.center;
    softness[j] = best.softness;
  }
  if (std::ranges::all_of(softness, [](float s) { return s == 0; })) return;
  scores.center = std::move(center);
  scores.softness = std::move(softness);
}

}  // namespace hone
