// The paper's eggbox: g_k(theta) = sin(pi theta_k) on the unit cube with noise 0.1. Each parameter
// has two modes, theta and 1 - theta, so ten of them have 1024.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "hone/tasks/builtin.h"
#include "hone/tasks/gaussian_noise.h"
#include "hone/tasks/reference.h"

namespace hone {
namespace {

constexpr int kDimensions = 10;
constexpr double kSigma = 0.1;
constexpr const char* kName = "eggbox";

// Likelihood of one element of x, relative to the best that any theta in [0, 1] reaches.
double relative_likelihood(double x, double theta) {
  const auto log_likelihood = [x](double mean) { return log_normal_density(x, mean, kSigma); };
  return std::exp(log_likelihood(std::sin(std::numbers::pi * theta)) -
                  log_likelihood(std::clamp(x, 0.0, 1.0)));
}

// Rejection from the prior: about one draw in four is accepted at the default observation.
double posterior_draw(double x, Rng& rng) {
  while (true) {
    const double theta = rng.uniform();
    if (rng.uniform() < relative_likelihood(x, theta)) return theta;
  }
}

AxisPosterior posterior_of_one(double x) {
  const double evidence =
      integrate([x](double theta) { return relative_likelihood(x, theta); }, 0, 1);
  return {[x](Rng& rng) { return posterior_draw(x, rng); },
          [x, evidence](double theta) {
            const bool inside = theta >= 0 && theta <= 1;
            return inside ? relative_likelihood(x, theta) / evidence : 0;
          }};
}

}  // namespace

Task eggbox_task() {
  const GaussianNoise model{kName,
                            [](std::span<double> x, std::span<const double> theta) {
                              for (std::size_t k = 0; k < x.size(); ++k) {
                                x[k] = std::sin(std::numbers::pi * theta[k]);
                              }
                            },
                            std::vector<double>(kDimensions, kSigma)};
  const std::vector<double> truth(kDimensions, 0.25);
  return {
      .name = kName,
      .description = "Ten parameters with two modes each: 1024 modes in the joint posterior.",
      .prior =
          same_prior(kDimensions, make_distribution({"uniform", {{"low", 0}, {"high", 1}}, {}})),
      .truth = truth,
      .observation = model.noiseless(truth),
      .budget = 10000,
      .simulator = [model] { return model.simulator(); },
      .reference = model.with_likelihood(product_reference(kName, kDimensions, posterior_of_one)),
  };
}

}  // namespace hone
