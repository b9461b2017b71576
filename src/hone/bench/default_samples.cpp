// Problems whose data are draws, counts or measurements of one kind.

#include <algorithm>
#include <cmath>

#include "hone/bench/default_problem.h"
#include "hone/core/cholesky.h"
#include "hone/tasks/reference.h"

namespace hone {
namespace {

double log_normal(double x, double mean, double sigma) {
  return log_normal_sum({&x, 1}, {&mean, 1}, sigma);
}

}  // namespace

DefaultProblem iid_problem() {
  return {.name = "iid",
          .description = "50 draws of a normal distribution, unsorted: its mean and width",
          .prior = prior_of({{"mean", "uniform", -5, 5}, {"width", "loguniform", 0.1, 10}}),
          .marginals = all_marginals(2),
          .budget = 5000,
          .data_size = 50,
          .data = one_block("draws", DataKind::set, {50}),
          .truth = {1.3, 1.7},
          .simulate =
              [](std::span<double> x, std::span<const double> theta, Rng noise) {
                for (double& value : x) value = theta[0] + theta[1] * noise.normal();
              },
          .log_likelihood =
              [](std::span<const double> x, std::span<const double> theta) {
                const std::vector<double> mean(x.size(), theta[0]);
                return log_normal_sum(x, mean, theta[1]);
              }};
}

DefaultProblem outliers_problem() {
  constexpr double kWide = 10;
  const auto at = [](std::size_t i, std::size_t n) {
    return 2 * static_cast<double>(i) / static_cast<double>(n - 1) - 1;
  };
  // Points are pairs, the place on the line and the value there.
  return {.name = "outliers",
          .description = "a straight line through 40 points, some of them outliers",
          .prior = prior_of({{"offset", "uniform", -5, 5},
                             {"slope", "uniform", -5, 5},
                             {"sigma", "loguniform", 0.1, 2},
                             {"outliers", "uniform", 0, 0.5}}),
          .marginals = all_marginals(4),
          .budget = 10000,
          .data_size = 80,
          .data = one_block("points", DataKind::set, {40, 2}),
          .truth = {0.7, 1.9, 0.4, 0.15},
          .simulate =
              [at](std::span<double> x, std::span<const double> theta, Rng noise) {
                const std::size_t points = x.size() / 2;
                for (std::size_t i = 0; i < points; ++i) {
                  const bool outlier = noise.uniform() < theta[3];
                  const double z = noise.normal();
                  x[2 * i] = at(i, points);
                  x[2 * i + 1] =
                      outlier ? kWide * z : theta[0] + theta[1] * x[2 * i] + theta[2] * z;
                }
              },
          .log_likelihood =
              [](std::span<const double> x, std::span<const double> theta) {
                double sum = 0;
                for (std::size_t i = 0; i < x.size(); i += 2) {
                  const double line = theta[0] + theta[1] * x[i];
                  sum += std::log((1 - theta[3]) * std::exp(log_normal(x[i + 1], line, theta[2])) +
                                  theta[3] * std::exp(log_normal(x[i + 1], 0, kWide)));
                }
                return sum;
              }};
}

// The simulator rounds its parameter down, as people do who have a whole number and only priors of
// real ones.
DefaultProblem integer_problem() {
  const auto mean_of = [](std::span<const double> theta, std::size_t i) {
    return i < 10 ? theta[1] * std::floor(theta[0]) : 5 * theta[1];
  };
  return {.name = "integer",
          .description = "a whole number of emitters, from counts and three calibrations",
          .prior = prior_of({{"emitters", "uniform", 1, 9}, {"rate", "loguniform", 1, 30}}),
          .marginals = all_marginals(2),
          .budget = 5000,
          .data_size = 13,
          .truth = {4.5, 6},
          .simulate =
              [mean_of](std::span<double> x, std::span<const double> theta, Rng noise) {
                for (std::size_t i = 0; i < x.size(); ++i) {
                  x[i] = static_cast<double>(noise.poisson(mean_of(theta, i)));
                }
              },
          .log_likelihood =
              [mean_of](std::span<const double> x, std::span<const double> theta) {
                std::vector<double> mean;
                for (std::size_t i = 0; i < x.size(); ++i) mean.push_back(mean_of(theta, i));
                return log_poisson_sum(x, mean);
              }};
}

namespace {

constexpr int kTwenty = 20, kWanted = 5;
constexpr Index kTwentyData = 60;

// Smooth templates that overlap. (60, 20)
Matrix<double> templates() {
  Matrix<double> result(kTwentyData, kTwenty);
  for (Index i = 0; i < kTwentyData; ++i) {
    for (Index d = 0; d < kTwenty; ++d) {
      const double z = (static_cast<double>(i) - 3 * static_cast<double>(d) - 1) / 3;
      result(i, d) = std::exp(-z * z / 2);
    }
  }
  return result;
}

// p(theta | x) for x = T theta + sigma z and theta ~ N(0, 1): normal with the precision
// P = 1 + T^T T / sigma^2 and the mean P^-1 T^T x / sigma^2.
Matrix<double> linear_posterior(std::span<const double> x, Index rows, const Rng& rng,
                                double sigma) {
  const Matrix<double> t = templates();
  Matrix<double> precision(kTwenty, kTwenty);
  std::vector<double> mean(kTwenty, 0.0);
  for (Index a = 0; a < kTwenty; ++a) {
    precision(a, a) = 1;
    for (Index i = 0; i < kTwentyData; ++i) {
      mean[static_cast<std::size_t>(a)] +=
          t(i, a) * x[static_cast<std::size_t>(i)] / (sigma * sigma);
      for (Index b = 0; b < kTwenty; ++b) precision(a, b) += t(i, a) * t(i, b) / (sigma * sigma);
    }
  }
  const Matrix<double> l = cholesky(precision);
  solve_lower(mean, l, mean);
  solve_lower_transposed(mean, l, mean);
  return draw_rows(rows, kTwenty, rng, [&](std::span<double> theta, Rng& draw) {
    std::vector<double> z(kTwenty);
    for (double& value : z) value = draw.normal();
    solve_lower_transposed(z, l, z);
    for (std::size_t d = 0; d < theta.size(); ++d) theta[d] = mean[d] + z[d];
  });
}

}  // namespace

DefaultProblem twenty_problem() {
  constexpr double kSigma = 0.5;
  std::vector<ParameterRow> rows;
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    all.reserve(kTwenty);
    for (int d = 0; d < kTwenty; ++d) all.push_back("a" + std::to_string(d));
    return all;
  }();
  rows.reserve(names.size());
  for (const std::string& name : names) rows.push_back({name.c_str(), "normal", 0, 1});
  const auto expected = [t = std::make_shared<const Matrix<double>>(templates())](
                            std::span<double> x, std::span<const double> theta) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = 0;
      for (std::size_t d = 0; d < theta.size(); ++d) {
        x[i] += (*t)(static_cast<Index>(i), static_cast<Index>(d)) * theta[d];
      }
    }
  };
  std::vector<double> truth;
  truth.reserve(kTwenty);
  for (int d = 0; d < kTwenty; ++d) truth.push_back(std::sin(1.7 * d));
  return {.name = "twenty",
          .description = "20 amplitudes of overlapping templates, of which 5 are wanted",
          .prior = prior_of(rows),
          .marginals = all_marginals(kWanted),
          .budget = 10000,
          .data_size = kTwentyData,
          .truth = truth,
          .simulate =
              [=](std::span<double> x, std::span<const double> theta, Rng noise) {
                expected(x, theta);
                for (double& value : x) value += kSigma * noise.normal();
              },
          .log_likelihood =
              [=](std::span<const double> x, std::span<const double> theta) {
                std::vector<double> mean(x.size());
                expected(mean, theta);
                return log_normal_sum(x, mean, kSigma);
              },
          .reference = [](std::span<const double> x, Index count,
                          const Rng& rng) { return linear_posterior(x, count, rng, kSigma); }};
}

}  // namespace hone
