#include "hone/tasks/task.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "hone/core/error.h"
#include "tasks/statistics.h"

namespace hone {
namespace {

TEST(Task, IsFoundByName) {
  EXPECT_EQ(find_task("torus").name, "torus");
  try {
    find_task("tours");
    FAIL() << "found";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_STREQ(error.what(),
                 "no task is called 'tours'; did you mean 'torus'? allowed: torus, eggbox, "
                 "rotated_eggbox, two_moons, gaussian_linear, gaussian_linear_uniform, "
                 "gaussian_mixture, slcp, slcp_distractors, sir, lotka_volterra");
  }
}

// What every task promises; a new task gets these tests for free.
class EveryTask : public testing::TestWithParam<std::string> {
 protected:
  const Task& task = find_task(GetParam());
};

TEST_P(EveryTask, IsComplete) {
  EXPECT_FALSE(task.description.empty());
  EXPECT_EQ(std::ssize(task.truth), task.prior.dimensions());
  EXPECT_EQ(std::ssize(task.observation), task.simulator()->data_size());
  EXPECT_GT(task.budget, 0);
  EXPECT_TRUE(std::isfinite(task.prior.log_density(task.truth)));
}

TEST_P(EveryTask, SimulationsDependOnThetaAndSeedOnly) {
  const auto simulator = task.simulator();
  Matrix<double> theta(3, task.prior.dimensions());
  for (int i = 0; i < 3; ++i) std::copy(task.truth.begin(), task.truth.end(), theta.row(i).begin());
  const std::uint64_t seeds[] = {5, 6, 5};
  Matrix<double> x(3, simulator->data_size());
  std::vector<Failure> failures(3);
  simulator->simulate(x, failures, {theta, seeds});
  for (const Failure& failure : failures) EXPECT_FALSE(failure.has_value());
  EXPECT_TRUE(std::equal(x.row(0).begin(), x.row(0).end(), x.row(2).begin()));
  EXPECT_FALSE(std::equal(x.row(0).begin(), x.row(0).end(), x.row(1).begin()));
}

// log p(x | truth + step) - log p(x | truth) for every row of x.
std::vector<double> log_ratios(const Task& task, MatrixView<const double> x, double step) {
  std::vector<double> other = task.truth;
  for (double& value : other) value += value < 0.5 ? step : -step;
  std::vector<double> values;
  for (Index i = 0; i < x.rows(); ++i) {
    values.push_back(task.reference.log_likelihood(x.row(i), other) -
                     task.reference.log_likelihood(x.row(i), task.truth));
  }
  return values;
}

// Over the simulator at the truth, the mean of any likelihood ratio is exactly 1.
TEST_P(EveryTask, LikelihoodIsTheSimulatorsOwn) {
  const Index draws = 10000;
  const auto simulator = task.simulator();
  Matrix<double> theta(draws, task.prior.dimensions());
  std::vector<std::uint64_t> seeds;
  for (Index i = 0; i < draws; ++i) {
    std::copy(task.truth.begin(), task.truth.end(), theta.row(i).begin());
    seeds.push_back(test_rng().child("seed", static_cast<std::uint64_t>(i)).bits64());
  }
  Matrix<double> x(draws, simulator->data_size());
  std::vector<Failure> failures(static_cast<std::size_t>(draws));
  simulator->simulate(x, failures, {theta, seeds});

  // A step large enough for the control to be seen, small enough for the mean to have a variance.
  double step = 1e-5;
  const MatrixView<const double> some = x.view().rows(0, 200);
  while (moments(log_ratios(task, some, step)).variance < 0.1) step *= 2;
  std::vector<double> ratio;
  std::vector<double> squared;  // control: a likelihood with the wrong noise
  for (const double log_ratio : log_ratios(task, x, step)) {
    ratio.push_back(std::exp(log_ratio));
    squared.push_back(std::exp(2 * log_ratio));
  }
  EXPECT_LT(std::abs(moments(ratio).mean - 1), 4 * moments(ratio).standard_error);
  EXPECT_GT(std::abs(moments(squared).mean - 1), 4 * moments(squared).standard_error);
}

TEST_P(EveryTask, ReferenceSamplesLieInThePrior) {
  const Matrix<double> samples = task.reference.samples(task.observation, 500, test_rng());
  for (Index i = 0; i < samples.rows(); ++i) {
    ASSERT_TRUE(std::isfinite(task.prior.log_density(samples.row(i))));
  }
}

TEST_P(EveryTask, ReferenceSamplesFollowTheOneDimensionalDensities) {
  if (!task.reference.marginal_density) GTEST_SKIP() << "has no density in closed form";
  const Matrix<double> samples = task.reference.samples(task.observation, 10000, test_rng());
  for (const Marginal& marginal : one_dimensional(std::min(3, task.prior.dimensions()))) {
    const int d = marginal[0];
    const GridCdf cdf(task, d);
    std::vector<double> u;
    std::vector<double> shifted;  // control: 8 % of the posterior's width to the right
    const double shift = 0.08 * cdf.standard_deviation();
    for (Index i = 0; i < samples.rows(); ++i) {
      u.push_back(cdf(samples(i, d)));
      shifted.push_back(cdf(samples(i, d) + shift));
    }
    // Exceeded once in 20,000 by chance.
    EXPECT_LT(kolmogorov(u), 2.3) << "parameter " << d;
    EXPECT_GT(kolmogorov(shifted), 2.3) << "parameter " << d;
  }
}

TEST_P(EveryTask, ReferenceSamplesFollowTheTwoDimensionalDensity) {
  if (!task.reference.marginal_density) GTEST_SKIP() << "has no density in closed form";
  const Index rows = 10000;
  const Matrix<double> samples = task.reference.samples(task.observation, rows, test_rng());
  const CellCounts cells(task, {0, 1}, samples);
  EXPECT_LT(cells.chi_square_excess(), 4);
  // Control: the second column of another row, which keeps the marginals and breaks the joint. It
  // can only be told where the two parameters depend on each other.
  if (task.name == "torus") {
    Matrix<double> mixed(rows, samples.cols());
    for (Index i = 0; i < rows; ++i) {
      mixed(i, 0) = samples(i, 0);
      mixed(i, 1) = samples((i + 1) % rows, 1);
    }
    EXPECT_GT(CellCounts(task, {0, 1}, mixed).chi_square_excess(), 4);
  }
}

TEST_P(EveryTask, RefusesAnObservationOfTheWrongLength) {
  std::vector<double> x = task.observation;
  x.push_back(0);
  EXPECT_THROW(task.reference.samples(x, 1, test_rng()), Error);
  EXPECT_THROW(task.reference.log_likelihood(x, task.truth), Error);
  if (task.reference.marginal_density) {
    EXPECT_THROW(task.reference.marginal_density(x, {0}, Matrix<double>(1, 1)), Error);
  }
  x = task.observation;
  x[0] = std::nan("");
  EXPECT_THROW(task.reference.samples(x, 1, test_rng()), Error);
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const Task& task : all_tasks()) names.push_back(task.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(BuiltIn, EveryTask, testing::ValuesIn(names()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace hone
