// A run by Markov chains on a task with a likelihood: it ends where the exact posterior is, and is
// the same after an interruption.
#include <cmath>

#include <gtest/gtest.h>

#include "files/test_files.h"
#include "hone/run/execute_run.h"
#include "hone/tasks/task.h"

namespace hone {
namespace {

TEST(McmcRun, FindsTheExactPosteriorOfATaskWithoutSimulating) {
  const TemporaryDirectory directory;
  const Task& task = find_task("gaussian_linear");
  InferenceOptions options;
  options.method = "mcmc";
  RunDirectory run =
      RunDirectory::create(directory.path() / "run", {.name = task.name,
                                                      .simulator = task_simulator(task.name),
                                                      .seed = 3,
                                                      .prior = task.prior,
                                                      .observation = task.observation,
                                                      .marginals = {{0}, {9}},
                                                      .options = options});
  const auto simulator = task.simulator();
  const auto executor = make_thread_executor(*simulator);
  const Summary summary = execute_run(run, {*executor});
  EXPECT_EQ(summary.simulations, 0);
  EXPECT_TRUE(run.complete());
  const double sigma = std::sqrt(0.05);
  for (const std::size_t k : {0U, 1U}) {
    const double mean = task.observation[k == 0 ? 0 : 9] / 2;
    // At least 1,000 effective draws.
    EXPECT_NEAR(summary.parameters[k].mean, mean, 4 * sigma / std::sqrt(1000));
    EXPECT_NEAR(summary.parameters[k].deviation / sigma, 1, 0.1);
    EXPECT_GT(std::abs(summary.parameters[k].mean - mean - sigma), 0.5 * sigma);  // the control
  }
}

}  // namespace
}  // namespace hone
