#include "hone/check/second_opinion.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "hone/check/feature_distance.h"
#include "hone/check/linear_estimate.h"
#include "hone/check/proportion.h"
#include "hone/core/cholesky.h"
#include "hone/core/parallel.h"

namespace hone {
namespace {

// Of the simulations, nearest to the data: near enough to be local, many enough for a regression.
constexpr double kShare = 0.2;
constexpr Index kFewestNeighbours = 60;

// What the regression says about one data vector.
struct Estimate {
  std::vector<double> mean, error;  // (parameters): local; scatter of the true values around it
};

class LocalRegression {
 public:
  // s (m, parameters): linear estimates; theta (m, parameters): true values.
  LocalRegression(const Matrix<double>& s, MatrixView<const double> theta) : s_(s), theta_(theta) {
    const double m = static_cast<double>(s.rows());
    for (Index d = 0; d < s.cols(); ++d) {
      double mean = 0, square = 0;
      for (Index i = 0; i < s.rows(); ++i) mean += s(i, d) / m;
      for (Index i = 0; i < s.rows(); ++i) square += std::pow(s(i, d) - mean, 2) / m;
      inverse_.push_back(square > 0 ? 1 / std::sqrt(square) : 0);
    }
  }

  Estimate at(std::span<const double> target) const {
    const std::vector<double> weights = kernel(target);
    const Index unknowns = s_.cols() + 1;
    Matrix<double> normal(unknowns, unknowns);
    Matrix<double> right(theta_.cols(), unknowns);
    std::vector<double> row(static_cast<std::size_t>(unknowns));
    double total = 0;
    for (Index i = 0; i < s_.rows(); ++i) {
      const double weight = weights[static_cast<std::size_t>(i)];
      if (weight == 0) continue;
      total += weight;
      fill(row, i, target);
      for (Index a = 0; a < unknowns; ++a) {
        for (Index b = 0; b <= a; ++b) {
          normal(a, b) += weight * row[std::size_t(a)] * row[std::size_t(b)];
        }
        for (Index d = 0; d < theta_.cols(); ++d) {
          right(d, a) += weight * row[std::size_t(a)] * theta_(i, d);
        }
      }
    }
    for (Index a = 0; a < unknowns; ++a) normal(a, a) += 1e-6 * total;
    const Matrix<double> factor = cholesky(normal);
    Estimate estimate;
    for (Index d = 0; d < theta_.cols(); ++d) {
      std::vector<double> b(right.row(d).begin(), right.row(d).end());
      solve_lower(b, factor, b);
      solve_lower_transposed(b, factor, b);
      double square = 0;
      for (Index i = 0; i < s_.rows(); ++i) {
        const double weight = weights[static_cast<std::size_t>(i)];
        if (weight == 0) continue;
        fill(row, i, target);
        const double fitted = std::inner_product(b.begin(), b.end(), row.begin(), 0.0);
        square += weight * std::pow(theta_(i, d) - fitted, 2) / total;
      }
      estimate.mean.push_back(b[0]);
      estimate.error.push_back(std::sqrt(square) + 1e-12);
    }
    return estimate;
  }

 private:
  double offset(Index i, std::size_t d, std::span<const double> target) const {
    return (s_.row(i)[d] - target[d]) * inverse_[d];
  }

  void fill(std::vector<double>& row, Index i, std::span<const double> target) const {
    row[0] = 1;
    for (std::size_t d = 0; d < target.size(); ++d) row[d + 1] = offset(i, d, target);
  }

  // Epanechnikov's, as wide as the neighbours need.
  std::vector<double> kernel(std::span<const double> target) const {
    std::vector<double> squares;
    for (Index i = 0; i < s_.rows(); ++i) {
      double square = 0;
      for (std::size_t d = 0; d < target.size(); ++d) square += std::pow(offset(i, d, target), 2);
      squares.push_back(square);
    }
    const Index wanted = std::max({kFewestNeighbours, 4 * s_.cols(),
                                   static_cast<Index>(kShare * static_cast<double>(s_.rows()))});
    std::vector<double> sorted = squares;
    const auto at = sorted.begin() + std::min(wanted, s_.rows() - 1);
    std::nth_element(sorted.begin(), at, sorted.end());
    const double width = *at * (1 + 1e-9) + 1e-300;
    for (double& square : squares) square = std::max(0.0, 1 - square / width);
    return squares;
  }

  const Matrix<double>& s_;
  MatrixView<const double> theta_;
  std::vector<double> inverse_;
};

// How much narrower a posterior could be: e_i = true value - mean, g_i = regression - mean. With
// the mixture mean + b g, b = sum e g / sum g^2, errors have 1 - r^2 of the variance. Under right
// means sum e g has the expectation 0 and, whatever their widths, a variance of sum e^2 g^2.
void judge_sharpness(Opinion& one, const std::vector<double>& e, const std::vector<double>& g,
                     double tests, const OpinionLimits& limits) {
  double eg = 0, ee = 0, gg = 0, spread = 0;
  for (std::size_t i = 0; i < e.size(); ++i) {
    eg += e[i] * g[i];
    ee += e[i] * e[i];
    gg += g[i] * g[i];
    spread += e[i] * e[i] * g[i] * g[i];
  }
  if (!(ee > 0) || !(gg > 0) || eg <= 0) return;
  one.narrower = 1 - std::sqrt(std::max(0.0, 1 - eg * eg / (ee * gg)));
  one.narrower_chance = normal_above(eg / std::sqrt(spread));
  if (one.narrower_chance > limits.false_alarms / tests) return;
  one.sharpness = one.narrower > limits.narrower_fail      ? Status::fail
                  : one.narrower > limits.narrower_caution ? Status::caution
                                                           : Status::pass;
}

template <typename T>
MatrixView<const T> first_rows(MatrixView<const T> rows, Index most) {
  return rows.rows(0, std::min(most, rows.rows()));
}

}  // namespace

std::vector<Opinion> second_opinions(const OpinionData& data, const OpinionLimits& limits) {
  if (data.draws.rows() < limits.fewest_draws || data.reference.rows() < limits.fewest_reference ||
      data.parameters.empty()) {
    return {};
  }
  const auto reference = first_rows(data.reference, limits.most_reference);
  const auto local = first_rows(data.reference_local, limits.most_reference);
  const auto draws = first_rows(data.draws, limits.most_draws);
  const LinearEstimates linear(reference, local);
  const Matrix<double> learned = linear(reference), of_draws = linear(draws);
  Matrix<float> x(1, std::ssize(data.observation));
  std::ranges::transform(data.observation, x.row(0).begin(),
                         [](double v) { return static_cast<float>(v); });
  const Matrix<double> of_observation = linear(x);
  const LocalRegression regression(learned, local);
  const Estimate observed = regression.at(of_observation.row(0));
  std::vector<Estimate> estimates(static_cast<std::size_t>(draws.rows()));
  parallel_for(draws.rows(), [&](Index i) {
    estimates[static_cast<std::size_t>(i)] = regression.at(of_draws.row(i));
  });

  std::vector<Opinion> opinions;
  const double tests = static_cast<double>(data.parameters.size());
  const double n = static_cast<double>(draws.rows());
  for (std::size_t k = 0; k < data.parameters.size(); ++k) {
    const auto d = static_cast<std::size_t>(data.parameters[k]);
    std::vector<double> differences;
    for (std::size_t i = 0; i < estimates.size(); ++i) {
      differences.push_back(std::abs(data.means[k][i] - estimates[i].mean[d]) /
                            estimates[i].error[d]);
    }
    const double gap = data.observed_mean[k] - observed.mean[d];
    const double here = std::abs(gap) / observed.error[d];
    const auto beyond = std::ranges::count_if(differences, [&](double v) { return v >= here; });
    Opinion one{.parameter = data.names[k],
                .difference = gap / std::max(data.observed_deviation[k], 1e-300),
                .probability = static_cast<double>(1 + beyond) / (n + 1)};
    const double largest = *std::ranges::max_element(differences);
    one.beyond = here / std::max(quantile(differences, 0.99), 1e-300);
    // Few draws cannot show a small probability: then it must be clearly beyond all of them.
    const double each = limits.false_alarms / tests;
    const bool few = 1 / (n + 1) > each;
    const bool rare = few ? here > 1.25 * largest : one.probability <= each;
    if (rare && std::abs(one.difference) > limits.matters) {
      one.status = one.beyond > limits.fail ? Status::fail : Status::caution;
    }
    std::vector<double> errors, regression_minus_mean;
    for (std::size_t i = 0; i < estimates.size(); ++i) {
      errors.push_back(data.draws_local(static_cast<Index>(i), static_cast<Index>(d)) -
                       data.means[k][i]);
      regression_minus_mean.push_back(estimates[i].mean[d] - data.means[k][i]);
    }
    judge_sharpness(one, errors, regression_minus_mean, tests, limits);
    opinions.push_back(std::move(one));
  }
  return opinions;
}

CheckResult second_opinion_result(const std::vector<Opinion>& opinions,
                                  const OpinionLimits& limits) {
  CheckResult result{.name = "second_opinion"};
  const Opinion* worst = &opinions.front();
  Index flagged = 0;
  for (const Opinion& one : opinions) {
    flagged += one.status != Status::pass;
    const auto rank = [](const Opinion& o) { return std::tuple(o.status, o.beyond); };
    if (rank(one) > rank(*worst)) worst = &one;
  }
  result.status = worst->status;
  const std::string numbers = fmt::format(
      "for {} their means differ by {:+.2f} sigma of the posterior; {:.1f} % of simulated data "
      "have "
      "a difference as large",
      worst->parameter, worst->difference, 100 * worst->probability);
  if (result.status == Status::pass) {
    result.reason =
        "at the observation, networks and a regression on the same simulations agree as well as "
        "for simulated data; " +
        numbers;
  } else {
    result.reason =
        "at the observation, networks and a regression on the same simulations disagree more than "
        "for simulated data: " +
        numbers;
    result.advice =
        "the networks may be wrong for your data alone: use more simulations, or another embedding";
  }
  result.numbers = {{"flagged", static_cast<double>(flagged)},
                    {"difference", worst->difference},
                    {"probability", worst->probability},
                    {"beyond", worst->beyond},
                    {"false_alarms", limits.false_alarms}};
  return result;
}

CheckResult sharpness_result(const std::vector<Opinion>& opinions, const OpinionLimits& limits) {
  CheckResult result{.name = "sharpness"};
  const auto rank = [](const Opinion& o) { return std::tuple(o.sharpness, o.narrower); };
  const Opinion* worst = &opinions.front();
  Index flagged = 0;
  for (const Opinion& one : opinions) {
    flagged += one.sharpness != Status::pass;
    if (rank(one) > rank(*worst)) worst = &one;
  }
  result.status = worst->sharpness;
  if (result.status == Status::pass) {
    result.reason = fmt::format(
        "a regression on the same simulations knows nothing of the parameters that the networks "
        "have missed; at most {} could be {:.0f} % narrower",
        worst->parameter, 100 * worst->narrower);
  } else {
    result.reason = fmt::format(
        "the networks miss what is in the data: with the help of a regression on the same "
        "simulations the posterior of {} would be {:.0f} % narrower{}",
        worst->parameter, 100 * worst->narrower,
        flagged > 1 ? fmt::format("; {} more are flagged", flagged - 1) : "");
    result.advice =
        "the intervals are wider than the data allow, and centred elsewhere: use more "
        "simulations";
  }
  result.numbers = {{"flagged", static_cast<double>(flagged)},
                    {"narrower", worst->narrower},
                    {"probability", worst->narrower_chance},
                    {"false_alarms", limits.false_alarms}};
  return result;
}

}  // namespace hone
