// Every method against exact posteriors, with a growing budget: a linear Gaussian problem with
// correlated parameters, and one whose posterior has two modes.
#include <cmath>

#include <gtest/gtest.h>

#include "hone/posterior/marginal_grid.h"
#include "inference/support.h"

namespace hone {
namespace {

using test::Laboratory, test::small_options;

InferenceOptions options_of(const std::string& method, Index budget) {
  InferenceOptions options = small_options(budget);
  options.method = method;
  return options;
}

// Half the integral of |estimate - exact| over a parameter.
double distance(const MarginalGrid& grid, const std::function<double(double)>& exact) {
  const GridAxis& axis = grid.axes[0];
  double sum = 0, norm = 0;
  for (std::size_t i = 0; i < axis.cells(); ++i) {
    norm += exact(axis.theta[i]) * (axis.high[i] - axis.low[i]);
  }
  for (std::size_t i = 0; i < axis.cells(); ++i) {
    const double mass = exact(axis.theta[i]) * (axis.high[i] - axis.low[i]) / norm;
    sum += 0.5 * std::abs(grid.mass[i] - mass);
  }
  return sum;
}

double normal(double x, double mean, double sigma) {
  const double z = (x - mean) / sigma;
  return std::exp(-0.5 * z * z) / sigma;
}

class EveryMethodFinds : public testing::TestWithParam<std::string> {};

// Of the worst parameter, to the exact posterior and to one that is a sigma off.
struct Distances {
  double right = 0, wrong = 1;
};

// x = (a + b, a - 2 b) + 0.2 noise. Under a flat prior theta has the covariance 0.04 (A^T A)^-1:
// variances 0.04 x 5/9 and 0.04 x 2/9 about A^-1 x.
Distances linear_distances(const std::string& method, Index budget) {
  const auto simulate = [](std::span<double> x, std::span<const double> theta, Rng noise) {
    x[0] = theta[0] + theta[1] + 0.2 * noise.normal();
    x[1] = theta[0] - 2 * theta[1] + 0.2 * noise.normal();
  };
  const std::vector<double> observed{0.3, -0.3};
  Laboratory laboratory(test::uniform_prior(2, -2, 2), 2, simulate);
  Simulations simulations = laboratory.simulations(3);
  const InferenceResult result =
      test::infer(simulations, observed, {{0}, {1}}, options_of(method, budget), Rng(3));
  const double mean[] = {(2 * observed[0] + observed[1]) / 3, (observed[0] - observed[1]) / 3};
  const double sigma[] = {0.2 * std::sqrt(5.0) / 3, 0.2 * std::sqrt(2.0) / 3};
  Distances worst;
  for (int d = 0; d < 2; ++d) {
    const MarginalGrid grid = make_grid({*result.posterior.posterior, {d}, observed}, 512);
    const auto to = [&](double shift) {
      return distance(
          grid, [&](double theta) { return normal(theta, mean[d] + shift * sigma[d], sigma[d]); });
    };
    worst.right = std::max(worst.right, to(0));
    worst.wrong = std::min({worst.wrong, to(1), to(-1)});
  }
  return worst;
}

TEST_P(EveryMethodFinds, ALinearGaussianPosteriorTheBetterTheMoreItSimulates) {
  const Distances few = linear_distances(GetParam(), 300);
  const Distances many = linear_distances(GetParam(), 3000);
  EXPECT_LT(many.right, 0.15);
  EXPECT_LT(many.right, few.right + 0.03) << "more simulations must not be worse";
  EXPECT_GT(many.wrong, 0.25);  // the control: one sigma off is 0.38
}

// x = |theta| + 0.1 noise: two modes, at +-x, of equal weight.
TEST_P(EveryMethodFinds, BothModesOfAPosterior) {
  const auto simulate = [](std::span<double> x, std::span<const double> theta, Rng noise) {
    x[0] = std::abs(theta[0]) + 0.1 * noise.normal();
    x[1] = theta[1] + 0.1 * noise.normal();
  };
  const std::vector<double> observed{0.5, 0.1};
  Laboratory laboratory(test::uniform_prior(2, -1, 1), 2, simulate);
  Simulations simulations = laboratory.simulations(4);
  const InferenceResult result =
      test::infer(simulations, observed, {{0}}, options_of(GetParam(), 3000), Rng(4));
  const MarginalGrid grid = make_grid({*result.posterior.posterior, {0}, observed}, 512);
  const auto both = [](double t) { return normal(t, 0.5, 0.1) + normal(t, -0.5, 0.1); };
  const auto one = [](double t) { return normal(t, 0.5, 0.1); };
  EXPECT_LT(distance(grid, both), 0.25);
  EXPECT_GT(distance(grid, one), 0.35);  // the control: a lost mode
}

std::vector<std::string> simulating_methods() {
  std::vector<std::string> names;
  for (const Method& method : method_table()) {
    if (!method.needs_likelihood) names.push_back(method.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethodFinds, testing::ValuesIn(simulating_methods()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace hone
