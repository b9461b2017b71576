#include "hone/tasks/populations.h"

#include <cmath>

#include <gtest/gtest.h>

#include "hone/core/error.h"
#include "hone/prior/truncated_prior.h"
#include "tasks/statistics.h"

namespace hone {
namespace {

const LogPopulations kStart{std::log(30.0), 0};

double largest_difference(const Populations& rates, const std::vector<double>& times,
                          double tolerance) {
  const auto a = solve(rates, kStart, times);
  const auto b = solve(rates, kStart, times, tolerance);
  double worst = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    worst =
        std::max({worst, std::abs(a[i].prey - b[i].prey), std::abs(a[i].predator - b[i].predator)});
  }
  return worst;
}

TEST(Populations, AreTheKnownOnesWhereNobodyMeets) {
  const std::vector<double> times = {0, 0.5, 3, 20};
  const auto path =
      solve({.growth = 0.3, .predation = 0, .conversion = 0, .death = 0.7}, kStart, times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(path[i].prey, std::log(30.0) + 0.3 * times[i], 1e-10);
    EXPECT_NEAR(path[i].predator, -0.7 * times[i], 1e-10);
  }
}

// d a - g log a + b y - alpha log y does not change with time.
TEST(Populations, KeepTheInvariantOfTheEquation) {
  const Populations p{.growth = 0.7, .predation = 0.1, .conversion = 0.12, .death = 0.9};
  const auto invariant = [&p](const LogPopulations& at) {
    return p.conversion * std::exp(at.prey) - p.death * at.prey +
           p.predation * std::exp(at.predator) - p.growth * at.predator;
  };
  for (const LogPopulations& at : solve(p, kStart, equal_times(10, 2.1))) {
    EXPECT_NEAR(invariant(at), invariant(kStart), 1e-6);
  }
}

// Noise is 0.1 in the logarithm: a solution off by 1e-5 changes a log-likelihood by about 1e-4 for
// each datum one sigma off.
TEST(Populations, DoNotChangeWithATighterTolerance) {
  const Task& task = find_task("lotka_volterra");
  const PriorSamples draws = sample(task.prior, Region::whole(4), 300, test_rng());
  double loose = 0;
  for (Index i = 0; i < draws.theta.rows(); ++i) {
    const auto theta = draws.theta.row(i);
    const Populations rates{theta[0], theta[1], theta[3], theta[2]};
    EXPECT_LT(largest_difference(rates, equal_times(10, 2.1), 1e-11), 1e-5);
    loose = std::max(loose, largest_difference(rates, equal_times(10, 2.1), 1e-6));
  }
  EXPECT_GT(loose, 1e-5);  // control: a tolerance of 1e-6 is seen
}

TEST(Populations, LikelihoodsDoNotFeelTheTolerance) {
  const Task& task = find_task("lotka_volterra");
  const Populations rates{task.truth[0], task.truth[1], task.truth[3], task.truth[2]};
  const auto log_likelihood = [&](double tolerance) {
    double sum = 0;
    const auto path = solve(rates, kStart, equal_times(10, 2.1), tolerance);
    for (std::size_t i = 0; i < path.size(); ++i) {
      const double prey = (std::log(task.observation[i]) - path[i].prey) / 0.1;
      const double predator = (std::log(task.observation[10 + i]) - path[i].predator) / 0.1;
      sum -= (prey * prey + predator * predator) / 2;
    }
    return sum;
  };
  EXPECT_NEAR(log_likelihood(kPopulationTolerance), log_likelihood(1e-12), 1e-4);
}

TEST(Populations, FailWithAReasonWhereTheEquationCannotBeSolved) {
  try {
    // A million periods.
    solve({.growth = 1e6, .predation = 1e5, .conversion = 1e5, .death = 1e6}, kStart,
          std::vector<double>{20});
    FAIL() << "solved";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numerical);
    EXPECT_NE(std::string(error.what()).find("not solved beyond t ="), std::string::npos);
  }
}

TEST(Populations, FailWhereAPopulationHasNoBound) {
  EXPECT_THROW(solve({.growth = 3, .predation = 0, .conversion = 0, .death = 1}, kStart,
                     std::vector<double>{20}),
               Error);
}

}  // namespace
}  // namespace hone
