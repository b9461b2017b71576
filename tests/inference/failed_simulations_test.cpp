// The posterior when simulations fail more often for some parameters than for others.
//
// theta_0, theta_1 uniform on (0, 1); x = theta_0 + 0.4 noise; a simulation succeeds with
// probability 1 - 0.9 theta_0. An observation exists only where the simulator succeeds, so
//   p(theta_0 | x) is proportional to (1 - 0.9 theta_0) exp(-(x - theta_0)^2 / (2 0.4^2)).
#include <cmath>
#include <filesystem>
#include <numeric>
#include <stdexcept>

#include <gtest/gtest.h>
#include <unistd.h>

#include "hone/posterior/marginal_grid.h"
#include "inference/support.h"

namespace hone {
namespace {

constexpr double kNoise = 0.4, kObserved = 0.7, kSlope = 0.9;

Prior unit_square() {
  const auto axis = make_distribution({"uniform", {{"low", 0}, {"high", 1}}, {}});
  return Prior({{"a", "", axis}, {"b", "", axis}});
}

// Of theta_0 on the grid's cells; `slope` 0 ignores the failures.
std::vector<double> exact_mass(const MarginalGrid& grid, double slope) {
  std::vector<double> mass;
  for (const double theta : grid.axes[0].theta) {
    const double distance = (kObserved - theta) / kNoise;
    mass.push_back((1 - slope * theta) * std::exp(-0.5 * distance * distance));
  }
  const double sum = std::reduce(mass.begin(), mass.end());
  for (double& value : mass) value /= sum;
  return mass;
}

double total_variation(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]) / 2;
  return sum;
}

class FailedSimulations : public testing::Test {
 protected:
  FailedSimulations()
      : directory_(std::filesystem::temp_directory_path() /
                   ("hone-failures-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(directory_);
  }
  ~FailedSimulations() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path directory_;
};

TEST_F(FailedSimulations, LeaveThePosteriorOfTheSimulationsThatSucceed) {
  const auto simulator =
      make_simulator(1, [](std::span<double> x, std::span<const double> theta, Rng noise) {
        if (noise.uniform() < kSlope * theta[0]) throw std::runtime_error("did not converge");
        x[0] = theta[0] + kNoise * noise.normal();
      });
  auto store = SimulationStore::create(directory_, {{"a", "b"}, 1, Precision::float64});
  const auto executor = make_thread_executor(*simulator, {.max_failed_fraction = 0.9});
  const Rng rng(5);
  Simulations simulations(unit_square(), store, *executor, rng);
  InferenceOptions options = preset("default");
  options.method = "mnre";
  options.budget = 20000;
  options.ensemble = 1;
  options.network.norm = Norm::none;
  options.network.activation = Activation::silu;
  options.training.max_epochs = 30;
  const InferenceResult result =
      test::infer(simulations, std::vector<double>{kObserved}, one_dimensional(2), options, rng);
  const AmortizedPosterior& estimator = *result.posterior.posterior;
  const std::vector<double> x{kObserved};
  const MarginalGrid grid = make_grid(MarginalPosterior(estimator, {0}, x), 512);

  // About 45 % of 20,000 simulations fail; the two answers are 0.16 apart.
  EXPECT_NEAR(static_cast<double>(simulations.failed()), 9000, 300);
  EXPECT_LT(total_variation(grid.mass, exact_mass(grid, kSlope)), 0.04);
  EXPECT_GT(total_variation(grid.mass, exact_mass(grid, 0)), 0.12);

  // What failures do not depend on stays what it was.
  const MarginalGrid other = make_grid(MarginalPosterior(estimator, {1}, x), 512);
  const std::vector<double> flat(512, 1.0 / 512);
  EXPECT_LT(total_variation(other.mass, flat), 0.03);

  // And all of it survives being saved.
  const auto again = find_estimator(estimator.estimator())
                         .load(unit_square(), result.region, estimator.to_arrays());
  EXPECT_EQ(make_grid(MarginalPosterior(*again, {0}, x), 512).mass, grid.mass);
}

}  // namespace
}  // namespace hone
