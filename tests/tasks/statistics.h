#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "hone/tasks/task.h"

namespace hone {

// HONE_TEST_SEED overrides the seed of the statistical tests.
inline Rng test_rng() {
  const char* seed = std::getenv("HONE_TEST_SEED");
  return Rng(seed == nullptr ? 71 : std::strtoull(seed, nullptr, 10));
}

struct Moments {
  double mean = 0;
  double variance = 0;
  double standard_error = 0;  // of the mean
};

inline Moments moments(std::span<const double> values) {
  const double n = static_cast<double>(values.size());
  Moments result;
  for (const double value : values) result.mean += value / n;
  for (const double value : values) {
    result.variance += (value - result.mean) * (value - result.mean) / (n - 1);
  }
  result.standard_error = std::sqrt(result.variance / n);
  return result;
}

// sqrt(n) times the largest distance of the values' distribution from the uniform one.
inline double kolmogorov(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    worst = std::max({worst, std::abs(values[i] - static_cast<double>(i) / n),
                      std::abs(values[i] - static_cast<double>(i + 1) / n)});
  }
  return worst * std::sqrt(n);
}

// The box in which tests look at parameter d: six prior sigmas or the support.
inline std::pair<double, double> window(const Task& task, int d) {
  const auto [low, high] = std::pair(task.prior[d].lower(), task.prior[d].upper());
  return {std::isfinite(low) ? low : -2.5, std::isfinite(high) ? high : 2.5};
}

// The cdf of a one-dimensional marginal posterior by the midpoint rule on its density.
class GridCdf {
 public:
  GridCdf(const Task& task, int d) : low_(window(task, d).first), high_(window(task, d).second) {
    Matrix<double> points(kCells, 1);
    for (Index i = 0; i < kCells; ++i) points(i, 0) = centre(i);
    density_ = task.reference.marginal_density(task.observation, {d}, points);
    for (const double value : density_) {
      cumulative_.push_back(cumulative_.back() + value * (high_ - low_) / kCells);
    }
  }

  double operator()(double theta) const {
    const double place = std::clamp((theta - low_) / (high_ - low_), 0.0, 1.0) * kCells;
    const auto i = std::min<std::size_t>(static_cast<std::size_t>(place), kCells - 1);
    const double fraction = place - static_cast<double>(i);
    return cumulative_[i] + fraction * (cumulative_[i + 1] - cumulative_[i]);
  }

  double total() const { return cumulative_.back(); }

  double standard_deviation() const {
    double mean = 0;
    double square = 0;
    for (Index i = 0; i < kCells; ++i) {
      const double mass = density_[static_cast<std::size_t>(i)] * (high_ - low_) / kCells;
      mean += mass * centre(i);
      square += mass * centre(i) * centre(i);
    }
    return std::sqrt(square - mean * mean);
  }

 private:
  static constexpr Index kCells = 2000;
  double centre(Index i) const {
    return low_ + (high_ - low_) * (static_cast<double>(i) + 0.5) / kCells;
  }

  double low_;
  double high_;
  std::vector<double> density_;
  std::vector<double> cumulative_ = {0};
};

// Samples counted in cells of a two-dimensional marginal, against the integral of its density.
class CellCounts {
 public:
  CellCounts(const Task& task, const Marginal& pair, const Matrix<double>& samples) {
    const auto [low, high] = window(task, pair[0]);
    Matrix<double> points(kFine * kFine, 2);
    const auto coordinate = [low = low, high = high](Index i) {
      return low + (high - low) * (static_cast<double>(i) + 0.5) / kFine;
    };
    for (Index i = 0; i < kFine * kFine; ++i) {
      points(i, 0) = coordinate(i / kFine);
      points(i, 1) = coordinate(i % kFine);
    }
    const auto density = task.reference.marginal_density(task.observation, pair, points);
    const double area = (high - low) * (high - low) / static_cast<double>(kFine * kFine);
    const auto cell = [low = low, high = high](double a, double b) {
      const auto index = [&](double v) { return std::floor((v - low) / (high - low) * kCells); };
      return std::pair(index(a), index(b));
    };
    for (Index i = 0; i < kFine * kFine; ++i) {
      expected_[cell(points(i, 0), points(i, 1))] +=
          density[static_cast<std::size_t>(i)] * area * static_cast<double>(samples.rows());
    }
    for (Index i = 0; i < samples.rows(); ++i) {
      observed_[cell(samples(i, pair[0]), samples(i, pair[1]))] += 1;
    }
  }

  // (chi^2 - degrees of freedom) / sqrt(2 degrees of freedom) over cells that expect 10 or more,
  // the rest together as one: about standard normal if the samples follow the density.
  double chi_square_excess() const {
    double chi_square = 0;
    double freedom = -1;
    double rest_expected = 0;
    double rest_observed = 0;
    const auto add = [&](double expected, double observed) {
      chi_square += (observed - expected) * (observed - expected) / expected;
      freedom += 1;
    };
    for (const auto& [cell, expected] : expected_) {
      const auto found = observed_.find(cell);
      const double observed = found == observed_.end() ? 0 : found->second;
      if (expected >= 10) {
        add(expected, observed);
      } else {
        rest_expected += expected;
        rest_observed += observed;
      }
    }
    if (rest_expected > 10) add(rest_expected, rest_observed);
    return (chi_square - freedom) / std::sqrt(2 * freedom);
  }

 private:
  static constexpr Index kCells = 50;
  static constexpr Index kFine = 1000;  // points for the density: 20 x 20 in a cell
  std::map<std::pair<double, double>, double> expected_;
  std::map<std::pair<double, double>, double> observed_;
};

}  // namespace hone
