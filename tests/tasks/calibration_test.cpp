// Exact posteriors of many observations: over parameters from the prior and data from the
// simulator, the rank of the parameter among posterior draws is uniform.

#include <gtest/gtest.h>

#include "hone/prior/truncated_prior.h"
#include "tasks/statistics.h"

namespace hone {
namespace {

class ExactTask : public testing::TestWithParam<std::string> {};

TEST_P(ExactTask, RanksOfTheTruthAreUniform) {
  const Task& task = find_task(GetParam());
  const Index runs = 120;
  const Index draws = 19;
  const Rng rng = test_rng().child(task.name);
  const int dimensions = task.prior.dimensions();
  const Matrix<double> theta =
      sample(task.prior, Region::whole(dimensions), runs, rng.child("prior")).theta;
  const auto simulator = task.simulator();
  Matrix<double> x(runs, simulator->data_size());
  std::vector<std::uint64_t> seeds;
  for (Index i = 0; i < runs; ++i) {
    seeds.push_back(rng.child("seed", static_cast<std::uint64_t>(i)).bits64());
  }
  std::vector<Failure> failures(static_cast<std::size_t>(runs));
  simulator->simulate(x, failures, {theta, seeds});

  // Of each parameter, and of the log-likelihood, which sees the joint distribution; for control,
  // of the log-likelihood of the next run's parameters.
  std::vector<std::vector<double>> ranks(static_cast<std::size_t>(dimensions) + 1);
  std::vector<double> strange;
  Rng ties = rng.child("ties");
  for (Index i = 0; i < runs; ++i) {
    const Matrix<double> samples = task.reference.samples(
        x.row(i), draws, rng.child("reference", static_cast<std::uint64_t>(i)));
    const auto rank = [&](auto quantity, std::span<const double> truth) {
      double below = ties.uniform();
      for (Index k = 0; k < draws; ++k) below += quantity(samples.row(k)) < quantity(truth) ? 1 : 0;
      return below / static_cast<double>(draws + 1);
    };
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
      const auto parameter = [d](std::span<const double> point) { return point[d]; };
      ranks[d].push_back(rank(parameter, theta.row(i)));
    }
    const auto fit = [&](std::span<const double> point) {
      return task.reference.log_likelihood(x.row(i), point);
    };
    ranks.back().push_back(rank(fit, theta.row(i)));
    strange.push_back(rank(fit, theta.row((i + 1) % runs)));
  }
  // Exceeded once in 20,000 by chance.
  for (const auto& of_one : ranks) EXPECT_LT(kolmogorov(of_one), 2.3);
  EXPECT_GT(kolmogorov(strange), 2.3);
}

INSTANTIATE_TEST_SUITE_P(Tasks, ExactTask,
                         testing::Values("torus", "eggbox", "rotated_eggbox", "two_moons",
                                         "gaussian_linear", "gaussian_linear_uniform",
                                         "gaussian_mixture"),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace hone
