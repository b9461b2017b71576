// Built-in posteriors against what is known about them.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "tasks/statistics.h"
#include "tasks/two_sample.h"

namespace hone {
namespace {

TEST(GaussianLinear, PosteriorHasHalfTheDataAsMeanAndHalfTheVariance) {
  const Task& task = find_task("gaussian_linear");
  const Index rows = 20000;
  const Matrix<double> samples = task.reference.samples(task.observation, rows, test_rng());
  for (int d = 0; d < 10; ++d) {
    const Moments found = moments(column(samples, d));
    const double mean = task.observation[static_cast<std::size_t>(d)] / 2;
    EXPECT_LT(std::abs(found.mean - mean), 4 * found.standard_error);
    EXPECT_GT(std::abs(found.mean - mean - 0.02), 4 * found.standard_error);
    const double error_of_variance = 0.05 * std::sqrt(2.0 / rows);
    EXPECT_LT(std::abs(found.variance - 0.05), 4 * error_of_variance);
    EXPECT_GT(std::abs(found.variance - 0.1), 4 * error_of_variance);  // the prior's
    for (int e = 0; e < d; ++e) {
      double covariance = 0;
      const Moments other = moments(column(samples, e));
      for (Index i = 0; i < rows; ++i) {
        covariance += (samples(i, d) - found.mean) * (samples(i, e) - other.mean) / rows;
      }
      EXPECT_LT(std::abs(covariance), 4.5 * 0.05 / std::sqrt(rows));
    }
  }
}

TEST(GaussianLinear, PriorAndNoiseHaveVarianceOneTenth) {
  const Task& task = find_task("gaussian_linear");
  EXPECT_NEAR(task.prior[0].quantile_complement(0.15865525393145707), std::sqrt(0.1), 1e-14);
  const std::vector<double> zero(10, 0.0);
  EXPECT_NEAR(task.reference.log_likelihood(zero, zero), -5 * std::log(2 * std::numbers::pi * 0.1),
              1e-12);
}

TEST(Torus, ObservationIsTheNoiselessOneOfThePaper) {
  const Task& task = find_task("torus");
  ASSERT_EQ(task.observation.size(), 3u);
  EXPECT_DOUBLE_EQ(task.observation[0], 0.57);
  EXPECT_NEAR(task.observation[1], 0.03, 1e-15);
  EXPECT_DOUBLE_EQ(task.observation[2], 1.0);
}

// Another exact method, slow but without any thought: rejection from the prior.
TEST(Torus, SamplesAgreeWithRejectionFromThePrior) {
  const Task& task = find_task("torus");
  const double best = task.reference.log_likelihood(task.observation, task.truth);
  Rng rng = test_rng().child("rejection");
  std::vector<double> plain[3];
  while (plain[0].size() < 500) {
    // Only a box around the ring is searched; outside it the likelihood is below e^-50.
    const double theta[] = {0.5 + 0.2 * rng.uniform(), 0.7 + 0.2 * rng.uniform(), rng.uniform()};
    const double ratio = std::exp(task.reference.log_likelihood(task.observation, theta) - best);
    if (rng.uniform() >= ratio) continue;
    for (int d = 0; d < 3; ++d) plain[d].push_back(theta[d]);
  }
  const Matrix<double> samples = task.reference.samples(task.observation, 20000, test_rng());
  for (int d = 0; d < 3; ++d) {
    const Moments a = moments(column(samples, d));
    const Moments b = moments(plain[d]);
    EXPECT_LT(std::abs(a.mean - b.mean), 4 * std::hypot(a.standard_error, b.standard_error));
    EXPECT_NEAR(b.variance / a.variance, 1, 4 * std::sqrt(2.0 / 500));
  }
}

TEST(Torus, PosteriorsOfOtherDataAreSampledToo) {
  const Task& task = find_task("torus");
  for (const std::vector<double>& x :
       {std::vector<double>{0.1, 0.52, 0.5}, {0.62, -0.004, -0.3}, {1.04, 0.43, 1.6}}) {
    const Matrix<double> samples = task.reference.samples(x, 200, test_rng());
    std::vector<double> misfit;
    for (Index i = 0; i < samples.rows(); ++i) {
      misfit.push_back(std::hypot(samples(i, 0) - 0.6, samples(i, 1) - 0.8) - x[1]);
    }
    EXPECT_LT(std::abs(moments(misfit).mean), 0.02);
  }
}

TEST(Eggbox, HasTwoEqualModesInEveryParameter) {
  const Task& task = find_task("eggbox");
  EXPECT_NEAR(task.observation[3], std::numbers::sqrt2 / 2, 1e-15);
  const Index rows = 10000;
  const Matrix<double> samples = task.reference.samples(task.observation, rows, test_rng());
  int lower = 0;
  int both_lower = 0;
  for (Index i = 0; i < rows; ++i) {
    lower += samples(i, 0) < 0.5 ? 1 : 0;
    both_lower += samples(i, 0) < 0.5 && samples(i, 9) < 0.5 ? 1 : 0;
  }
  const double n = static_cast<double>(rows);
  EXPECT_LT(std::abs(lower / n - 0.5), 4 * 0.5 / std::sqrt(n));
  EXPECT_LT(std::abs(both_lower / n - 0.25), 4 * std::sqrt(0.25 * 0.75 / n));
}

TEST(RotatedEggbox, HasThePriorOfThePaper) {
  const Task& task = find_task("rotated_eggbox");
  double volume = 1;
  for (int d = 0; d < 10; ++d) volume *= task.prior[d].upper() - task.prior[d].lower();
  EXPECT_NEAR(task.prior[0].upper(), 0.924, 5e-4);
  EXPECT_NEAR(task.prior[8].lower(), -0.924, 5e-4);
  EXPECT_NEAR(task.prior[9].upper(), 3.16, 5e-3);
  EXPECT_NEAR(volume, 795, 1);
}

TEST(RotatedEggbox, TurnsTheDiagonalIntoTheLastAxis) {
  const Task& task = find_task("rotated_eggbox");
  for (int d = 0; d < 9; ++d) EXPECT_NEAR(task.truth[static_cast<std::size_t>(d)], 0, 1e-15);
  EXPECT_NEAR(task.truth[9], 0.25 * std::sqrt(10), 1e-15);
  EXPECT_NEAR(task.observation[0], std::numbers::sqrt2 / 2, 1e-15);
}

TEST(Reference, MarginalDensitiesIntegrateToOne) {
  for (const Task& task : all_tasks()) {
    if (!task.reference.marginal_density) continue;
    for (int d = 0; d < std::min(3, task.prior.dimensions()); ++d)
      EXPECT_NEAR(GridCdf(task, d).total(), 1, 1e-6) << task.name << d;
  }
}

}  // namespace
}  // namespace hone
