#include "hone/tasks/task.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "hone/core/error.h"
#include "hone/simulator/noise.h"
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
                 "gaussian_mixture, slcp, slcp_distractors, sir, lotka_volterra, "
                 "bernoulli_glm, cmb");
  }
}

// What every task promises; a new task gets these tests for free.
class EveryTask : public testing::TestWithParam<std::string> {
 protected:
  const Task& task = find_task(GetParam());
};

class EveryTaskWithDensities : public EveryTask {};

TEST_P(EveryTask, IsComplete) {
  EXPECT_FALSE(task.description.empty());
  EXPECT_EQ(std::ssize(task.truth), task.prior.dimensions());
  EXPECT_EQ(std::ssize(task.observation), task.simulator()->data_size());
  EXPECT_GT(task.budget, 0);
  EXPECT_TRUE(std::isfinite(task.prior.log_density(task.truth)));
}

// Simulations with their noise, if it is drawn apart.
Matrix<double> data_at_truth(const Task& task, std::span<const std::uint64_t> seeds) {
  const auto simulator = task.simulator();
  const Index rows = std::ssize(seeds);
  Matrix<double> theta(rows, task.prior.dimensions());
  for (Index i = 0; i < rows; ++i) std::ranges::copy(task.truth, theta.row(i).begin());
  Matrix<double> x(rows, simulator->data_size());
  std::vector<Failure> failures(seeds.size());
  simulator->simulate(x, failures, {theta, seeds});
  for (const Failure& failure : failures) EXPECT_FALSE(failure.has_value());
  const NoiseModel* noise = simulator->noise();
  if (noise == nullptr) return x;
  Matrix<float> noiseless(1, noise->input_size()), noisy(1, noise->data_size());
  Matrix<double> data(rows, noise->data_size());
  for (Index i = 0; i < rows; ++i) {
    std::ranges::copy(x.row(i), noiseless.row(0).begin());
    Rng stream(seeds[static_cast<std::size_t>(i)]);
    noise->apply(noisy, noiseless, std::span(&stream, 1));
    std::ranges::copy(noisy.row(0), data.row(i).begin());
  }
  return data;
}

TEST_P(EveryTask, SimulationsDependOnThetaAndSeedOnly) {
  const std::uint64_t seeds[] = {5, 6, 5};
  const Matrix<double> x = data_at_truth(task, seeds);
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
  // Long data take longer, and say more each.
  const Index draws = task.observation.size() > 1000 ? 2000 : 10000;
  std::vector<std::uint64_t> seeds;
  for (Index i = 0; i < draws; ++i) {
    seeds.push_back(test_rng().child("seed", static_cast<std::uint64_t>(i)).bits64());
  }
  const Matrix<double> x = data_at_truth(task, seeds);

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

TEST_P(EveryTaskWithDensities, ReferenceSamplesFollowTheOneDimensionalDensities) {
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

TEST_P(EveryTaskWithDensities, ReferenceSamplesFollowTheTwoDimensionalDensity) {
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

std::vector<std::string> names(bool with_densities) {
  std::vector<std::string> names;
  for (const Task& task : all_tasks()) {
    if (!with_densities || task.reference.marginal_density) names.push_back(task.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(BuiltIn, EveryTask, testing::ValuesIn(names(false)),
                         [](const auto& instance) { return instance.param; });
INSTANTIATE_TEST_SUITE_P(BuiltIn, EveryTaskWithDensities, testing::ValuesIn(names(true)),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace hone
