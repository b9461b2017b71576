#pragma once

// Do two sets of samples come from one distribution? Used by tests and by benchmarks/references.

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"

namespace hone {

inline std::vector<double> column(MatrixView<const double> samples, Index d) {
  std::vector<double> values;
  for (Index i = 0; i < samples.rows(); ++i) values.push_back(samples(i, d));
  return values;
}

// Kolmogorov and Smirnov: the chance of so large a difference of the two cumulative distributions.
inline double kolmogorov_smirnov_p(std::vector<double> a, std::vector<double> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  double worst = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const double value = std::min(a[i], b[j]);
    while (i < a.size() && a[i] == value) ++i;
    while (j < b.size() && b[j] == value) ++j;
    worst = std::max(worst, std::abs(static_cast<double>(i) / n - static_cast<double>(j) / m));
  }
  const double scaled = worst * std::sqrt(n * m / (n + m));
  if (scaled < 0.2) return 1;
  double p = 0;
  for (int k = 1; k <= 100; ++k)
    p += (k % 2 == 1 ? 2 : -2) * std::exp(-2 * k * k * scaled * scaled);
  return std::clamp(p, 0.0, 1.0);
}

// The smallest p value over all parameters, corrected for their number.
inline double marginals_p(MatrixView<const double> a, MatrixView<const double> b) {
  double smallest = 1;
  for (Index d = 0; d < a.cols(); ++d) {
    smallest = std::min(smallest, kolmogorov_smirnov_p(column(a, d), column(b, d)));
  }
  return std::min(1.0, smallest * static_cast<double>(a.cols()));
}

// The energy test of the joint distribution (Szekely & Rizzo), on columns in units of the standard
// deviation of b: how often a random division of all rows is at least as different.
inline double energy_p(MatrixView<const double> a, MatrixView<const double> b, int permutations,
                       Rng rng) {
  const Index total = a.rows() + b.rows();
  Matrix<double> all(total, a.cols());
  for (Index d = 0; d < a.cols(); ++d) {
    const std::vector<double> values = column(b, d);
    double mean = 0;
    double square = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    for (const double value : values) {
      square += (value - mean) * (value - mean) / static_cast<double>(values.size());
    }
    for (Index i = 0; i < total; ++i) {
      all(i, d) = (i < a.rows() ? a(i, d) : b(i - a.rows(), d)) / std::sqrt(square);
    }
  }
  Matrix<float> distance(total, total);
  for (Index i = 0; i < total; ++i) {
    for (Index j = 0; j < total; ++j) {
      double square = 0;
      for (Index d = 0; d < a.cols(); ++d) {
        square += (all(i, d) - all(j, d)) * (all(i, d) - all(j, d));
      }
      distance(i, j) = static_cast<float>(std::sqrt(square));
    }
  }
  // sum_ij s_i s_j |z_i - z_j| with s = 1 / n in a and -1 / m in b is minus the energy distance.
  const auto energy = [&](const std::vector<std::int64_t>& order) {
    std::vector<float> sign(static_cast<std::size_t>(total));
    for (Index i = 0; i < total; ++i) {
      sign[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] =
          i < a.rows() ? 1.0F / static_cast<float>(a.rows()) : -1.0F / static_cast<float>(b.rows());
    }
    double sum = 0;
    for (Index i = 0; i < total; ++i) {
      float row = 0;
      for (Index j = 0; j < total; ++j) row += sign[static_cast<std::size_t>(j)] * distance(i, j);
      sum -= static_cast<double>(sign[static_cast<std::size_t>(i)] * row);
    }
    return sum;
  };
  std::vector<std::int64_t> order(static_cast<std::size_t>(total));
  for (Index i = 0; i < total; ++i) order[static_cast<std::size_t>(i)] = i;
  const double found = energy(order);
  int larger = 0;
  for (int k = 0; k < permutations; ++k) {
    rng.shuffle(order);
    larger += energy(order) >= found ? 1 : 0;
  }
  return (1.0 + larger) / (1.0 + permutations);
}

}  // namespace hone
