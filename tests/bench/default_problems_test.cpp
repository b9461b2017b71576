// The exact references of `hone bench defaults`: posteriors that are calculated another way, on a
// grid, have uniform ranks of the true parameters over simulated data, and the same moments.
#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "hone/bench/default_problem.h"
#include "tasks/statistics.h"

namespace hone {
namespace {

using Likelihood = std::function<double(std::span<const double> x, std::span<const double> theta)>;

// A part of the prior, in its CDF, of two parameters.
struct Box {
  std::array<double, 2> low{0, 0}, high{1, 1};
};

// The posterior under the prior inside a box, on an even grid in the prior's CDF.
class GridPosterior {
 public:
  GridPosterior(const Prior& prior, const Box& box, int cells, std::span<const double> x,
                const Likelihood& likelihood)
      : prior_(prior), box_(box), cells_(cells), log_(Matrix<double>(cells, cells)) {
    for (int i = 0; i < cells; ++i) {
      for (int j = 0; j < cells; ++j) {
        log_(i, j) = likelihood(x, theta((i + 0.5) / cells, (j + 0.5) / cells));
      }
    }
    highest_ = *std::max_element(log_.data(), log_.data() + log_.rows() * log_.cols());
  }

  // Parameters at this place of the box.
  std::array<double, 2> theta(double a, double b) const {
    const std::array place{a, b};
    std::array<double, 2> result{};
    for (std::size_t d = 0; d < 2; ++d) {
      const double u = box_.low[d] + place[d] * (box_.high[d] - box_.low[d]);
      result[d] = prior_[static_cast<int>(d)].quantile(u);
    }
    return result;
  }

  double mass(int i, int j) const { return std::exp(log_(i, j) - highest_); }

  // P(parameter d below this place of the box).
  double below(int d, double place) const {
    double sum = 0, all = 0;
    for (int i = 0; i < cells_; ++i) {
      for (int j = 0; j < cells_; ++j) {
        all += mass(i, j);
        sum += mass(i, j) * std::clamp(place * cells_ - (d == 0 ? i : j), 0.0, 1.0);
      }
    }
    return sum / all;
  }

  // P(log-likelihood below this one), which sees both parameters together.
  double below_fit(double fit) const {
    double sum = 0, all = 0;
    for (int i = 0; i < cells_; ++i) {
      for (int j = 0; j < cells_; ++j) {
        all += mass(i, j);
        sum += log_(i, j) < fit ? mass(i, j) : 0;
      }
    }
    return sum / all;
  }

  // The part of the box outside of which the likelihood is lower by e^20.
  Box where_it_matters() const {
    std::array<int, 2> first{cells_, cells_}, last{0, 0};
    for (int i = 0; i < cells_; ++i) {
      for (int j = 0; j < cells_; ++j) {
        if (log_(i, j) < highest_ - 20) continue;
        first = {std::min(first[0], i), std::min(first[1], j)};
        last = {std::max(last[0], i), std::max(last[1], j)};
      }
    }
    Box part;
    for (std::size_t d = 0; d < 2; ++d) {
      const double width = (box_.high[d] - box_.low[d]) / cells_;
      part.low[d] = std::max(box_.low[d], box_.low[d] + (first[d] - 1) * width);
      part.high[d] = std::min(box_.high[d], box_.low[d] + (last[d] + 2) * width);
    }
    return part;
  }

  std::pair<double, double> moments(std::size_t d) const {
    double all = 0, first = 0, second = 0;
    for (int i = 0; i < cells_; ++i) {
      for (int j = 0; j < cells_; ++j) {
        const double value = theta((i + 0.5) / cells_, (j + 0.5) / cells_)[d];
        all += mass(i, j), first += mass(i, j) * value, second += mass(i, j) * value * value;
      }
    }
    const double mean = first / all;
    return {mean, std::sqrt(second / all - mean * mean)};
  }

 private:
  const Prior& prior_;
  Box box_;
  int cells_;
  Matrix<double> log_;
  double highest_ = 0;
};

// Ranks of the truth in both parameters and in the fit, over data sets of parameters in the box.
std::vector<std::vector<double>> ranks_of_truth(const DefaultProblem& problem, const Box& box,
                                                int cells, const Likelihood& likelihood) {
  constexpr int kRuns = 60;
  std::vector<std::vector<double>> ranks(3);
  for (int run = 0; run < kRuns; ++run) {
    Rng rng = test_rng().child(problem.name, static_cast<std::uint64_t>(run));
    const std::array place{rng.uniform(), rng.uniform()};
    std::vector<double> x(static_cast<std::size_t>(problem.data_size));
    const GridPosterior nowhere(problem.prior, box, 1, x, [](auto, auto) { return 0.0; });
    const auto truth = nowhere.theta(place[0], place[1]);
    problem.simulate(x, truth, rng.child("data"));
    const GridPosterior posterior(problem.prior, box, cells, x, likelihood);
    for (int d = 0; d < 2; ++d) {
      ranks[std::size_t(d)].push_back(posterior.below(d, place[std::size_t(d)]));
    }
    ranks[2].push_back(posterior.below_fit(likelihood(x, truth)));
  }
  return ranks;
}

struct DynamicsCase {
  std::string problem;
  Box box;  // where the grid is fine enough, and counts are small
  int cells;
};

class DefaultReference : public testing::TestWithParam<DynamicsCase> {};

TEST_P(DefaultReference, RanksOfTheTruthAreUniform) {
  const DynamicsCase& one = GetParam();
  const DefaultProblem& problem = find_default_problem(one.problem);
  // Exceeded once in 20,000 by chance.
  for (const auto& of_one : ranks_of_truth(problem, one.box, one.cells, problem.log_likelihood)) {
    EXPECT_LT(kolmogorov(of_one), 2.3);
  }
  // The control: a likelihood whose second parameter is off by a fifth.
  const Likelihood wrong = [&](std::span<const double> x, std::span<const double> theta) {
    return problem.log_likelihood(x, std::array{theta[0], 1.25 * theta[1]});
  };
  EXPECT_GT(kolmogorov(ranks_of_truth(problem, one.box, one.cells, wrong)[1]), 2.3);
}

TEST_P(DefaultReference, DrawsHaveTheMomentsOfTheGrid) {
  const DefaultProblem& problem = find_default_problem(GetParam().problem);
  const std::vector<double> x = problem.observation();
  const GridPosterior rough(problem.prior, {}, 60, x, problem.log_likelihood);
  const GridPosterior fine(problem.prior, rough.where_it_matters(), 80, x, problem.log_likelihood);
  constexpr Index kDraws = 2000;
  const Matrix<double> draws = problem.reference_draws(kDraws);
  for (std::size_t d = 0; d < 2; ++d) {
    const auto [mean, deviation] = fine.moments(d);
    double first = 0, second = 0;
    for (Index i = 0; i < kDraws; ++i) {
      const double z = (draws(i, static_cast<Index>(d)) - mean) / deviation;
      first += z / kDraws, second += z * z / kDraws;
    }
    constexpr double kError = 4 / 44.7;  // four standard errors, 1 / sqrt(2000) each
    EXPECT_LT(std::abs(first), kError) << problem.name << " " << d;
    EXPECT_NEAR(std::sqrt(second - first * first), 1, kError) << problem.name << " " << d;
    EXPECT_GT(std::abs(first + 0.2), kError) << "the control: a mean that is 0.2 sigma off";
  }
}

// log_r of 2 to 3.2 and sigma of 0.2 to 0.5; production of 5 to 22 and decay of 0.25 to 1.
INSTANTIATE_TEST_SUITE_P(Problems, DefaultReference,
                         testing::Values(DynamicsCase{"ricker", {{0.5, 0.46}, {0.8, 0.77}}, 80},
                                         DynamicsCase{
                                             "reactions", {{0.41, 0.44}, {0.79, 0.81}}, 30}),
                         [](const auto& instance) { return instance.param.problem; });

}  // namespace
}  // namespace hone
