#include "hone/check/local_c2st.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "hone/check/proportion.h"
#include "hone/core/cholesky.h"

namespace hone {
namespace {

// Location, width, skewness and the tails. More would lose power for what nobody looks at.
constexpr std::size_t kBasis = 4;
constexpr Index kCurvePoints = 50;
// The kernel keeps about this share of the draws: near enough to be local, many enough to judge.
constexpr double kShare = 0.25;

// Legendre polynomials of degree 1 .. 4 on (0, 1), of mean 0 and variance 1.
std::array<double, kBasis> basis(double u) {
  const double t = 2 * u - 1, t2 = t * t;
  return {std::sqrt(3.0) * t, std::sqrt(5.0) * (3 * t2 - 1) / 2,
          std::sqrt(7.0) * (5 * t2 - 3) * t / 2, std::sqrt(9.0) * ((35 * t2 - 30) * t2 + 3) / 8};
}

// What a draw's data are like, seen from the observation: its posterior's mean and width, in robust
// standard scores.
struct Offsets {
  std::vector<double> mean, width;
};

// (value - origin) over the values' spread.
std::vector<double> scaled(const std::vector<double>& values, double origin) {
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  const auto at = [&](double q) {
    return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
  };
  const double spread = std::max({(at(0.84) - at(0.16)) / 2, 1e-12 * std::abs(at(0.5)), 1e-300});
  std::vector<double> result;
  for (const double value : values) result.push_back((value - origin) / spread);
  return result;
}

Offsets offsets_of(const LocalDraws& draws) {
  const auto logarithm = [](double width) { return std::log(std::max(width, 1e-300)); };
  std::vector<double> widths;
  std::ranges::transform(draws.deviation, std::back_inserter(widths), logarithm);
  return {scaled(draws.mean, draws.observed_mean),
          scaled(widths, logarithm(draws.observed_deviation))};
}

// (sum k)^2 / sum k^2 of Gaussian weights.
double effective_count(const std::vector<double>& weights) {
  double sum = 0, square = 0;
  for (const double k : weights) sum += k, square += k * k;
  return square > 0 ? sum * sum / square : 0;
}

// Gaussian weights around the observation, as wide as needed to keep enough draws.
std::vector<double> kernel(const Offsets& offsets, double wanted) {
  std::vector<double> weights(offsets.mean.size());
  for (double width = 0.1;; width *= 1.25) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double square = offsets.mean[i] * offsets.mean[i] + offsets.width[i] * offsets.width[i];
      weights[i] = std::exp(-square / (2 * width * width));
    }
    if (effective_count(weights) >= wanted || width > 1e3) return weights;
  }
}

// The fit at the observation as a sum over draws, sum_i l_i y_i: weighted least squares of
// y = a + b mean + c width, read at the origin. l = K X (X^T K X)^-1 e_0, with a hair of a ridge.
std::vector<double> local_fit(const Offsets& offsets, const std::vector<double>& weights) {
  const auto row = [&](std::size_t i) {
    return std::array{1.0, offsets.mean[i], offsets.width[i]};
  };
  Matrix<double> normal(3, 3);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto x = row(i);
    for (Index a = 0; a < 3; ++a) {
      for (Index b = 0; b < 3; ++b) {
        normal(a, b) += weights[i] * x[std::size_t(a)] * x[std::size_t(b)];
      }
    }
  }
  for (Index a = 0; a < 3; ++a) normal(a, a) = normal(a, a) * (1 + 1e-9) + 1e-12;
  const Matrix<double> l = cholesky(normal);
  std::array<double, 3> coefficients{1, 0, 0};
  solve_lower(coefficients, l, coefficients);
  solve_lower_transposed(coefficients, l, coefficients);
  std::vector<double> result(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto x = row(i);
    result[i] = weights[i] * std::inner_product(x.begin(), x.end(), coefficients.begin(), 0.0);
  }
  return result;
}

LocalC2st test(const LocalDraws& draws) {
  LocalC2st local{.marginal = draws.marginal};
  const double n = static_cast<double>(draws.cdf.size());
  const Offsets offsets = offsets_of(draws);
  const std::vector<double> fit = local_fit(offsets, kernel(offsets, kShare * n));
  std::array<double, kBasis> g{};
  double variance = 0;
  for (std::size_t i = 0; i < fit.size(); ++i) {
    const auto phi = basis(draws.cdf[i]);
    for (std::size_t b = 0; b < kBasis; ++b) g[b] += fit[i] * phi[b];
    variance += fit[i] * fit[i];
  }
  double statistic = 0;
  for (const double value : g) statistic += value * value / variance;
  local.effective_draws = 1 / variance;
  local.probability = chi_squared_above(statistic, kBasis);
  // The best classifier is right with 1/2 + 1/4 of the integral of |p(u) - 1|.
  double distance = 0;
  for (Index i = 0; i < kCurvePoints; ++i) {
    const double u = (static_cast<double>(i) + 0.5) / kCurvePoints;
    const auto phi = basis(u);
    const double excess = std::inner_product(g.begin(), g.end(), phi.begin(), 0.0);
    local.at.push_back(u);
    local.density.push_back(std::max(0.0, 1 + excess));
    distance += std::min(std::abs(excess), 1 / 0.5) / kCurvePoints;
  }
  local.accuracy = std::min(1.0, 0.5 + distance / 4);
  return local;
}

}  // namespace

std::vector<LocalC2st> local_c2st(const std::vector<LocalDraws>& draws, const LocalLimits& limits) {
  std::vector<LocalC2st> results;
  for (const LocalDraws& one : draws) {
    if (static_cast<double>(one.cdf.size()) < limits.fewest_draws) continue;
    LocalC2st local = test(one);
    const bool significant =
        local.probability <= limits.false_alarms / static_cast<double>(draws.size());
    if (significant && local.accuracy > limits.caution &&
        local.effective_draws >= limits.fewest_draws / 4) {
      local.status = local.accuracy > limits.fail ? Status::fail : Status::caution;
    }
    results.push_back(std::move(local));
  }
  return results;
}

CheckResult local_c2st_result(const std::vector<LocalC2st>& marginals, const LocalLimits& limits) {
  CheckResult result{.name = "local_c2st"};
  const LocalC2st* worst = &marginals.front();
  Index flagged = 0;
  for (const LocalC2st& one : marginals) {
    flagged += one.status != Status::pass;
    const auto rank = [](const LocalC2st& c) { return std::pair(c.status, -c.probability); };
    if (rank(one) > rank(*worst)) worst = &one;
  }
  result.status = worst->status;
  const std::string numbers =
      fmt::format("accuracy {:.3f} for {}, from {:.0f} draws with data like the observation",
                  worst->accuracy, worst->marginal, worst->effective_draws);
  if (result.status == Status::pass) {
    result.reason =
        "near the observation, true values cannot be distinguished from posterior draws; " +
        numbers + (worst->probability > limits.false_alarms ? ", which can be due to chance" : "");
  } else {
    result.reason =
        "near the observation, true values can be distinguished from posterior draws: " + numbers;
    result.advice =
        "the posterior is wrong for your data, even if it is right on average: use more "
        "simulations";
    result.more_simulations = true;
  }
  result.numbers = {{"flagged", static_cast<double>(flagged)},
                    {"accuracy", worst->accuracy},
                    {"probability", worst->probability},
                    {"effective_draws", worst->effective_draws},
                    {"false_alarms", limits.false_alarms}};
  return result;
}

}  // namespace hone
