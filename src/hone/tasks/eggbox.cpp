// The paper's eggbox: g_k(theta) = sin(pi theta_k) on the unit cube with noise 0.1. Each parameter
// has two modes, theta and 1 - theta, so ten of them have 1024.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "hone/core/error.h"
#include "hone/tasks/builtin.h"
#include "hone/tasks/gaussian_noise.h"

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

// Rejection from the prior, parameter by parameter: they are independent given x. About one draw in
// four is accepted at the default observation.
double posterior_draw(double x, Rng& rng) {
  while (true) {
    const double theta = rng.uniform();
    if (rng.uniform() < relative_likelihood(x, theta)) return theta;
  }
}

Matrix<double> reference_samples(std::span<const double> x, Index rows, const Rng& rng) {
  require_observation(x, kDimensions, kName);
  Matrix<double> samples(rows, kDimensions);
  for (Index i = 0; i < rows; ++i) {
    Rng draw = rng.child("reference", static_cast<std::uint64_t>(i));
    for (int d = 0; d < kDimensions; ++d) {
      samples(i, d) = posterior_draw(x[static_cast<std::size_t>(d)], draw);
    }
  }
  return samples;
}

std::vector<double> marginal_density(std::span<const double> x, const Marginal& marginal,
                                     MatrixView<const double> points) {
  require_observation(x, kDimensions, kName);
  HONE_ASSERT(points.cols() == std::ssize(marginal));
  std::vector<double> density(static_cast<std::size_t>(points.rows()), 1);
  for (Index k = 0; k < points.cols(); ++k) {
    const double value = x[static_cast<std::size_t>(marginal[static_cast<std::size_t>(k)])];
    const double evidence =
        integrate([value](double theta) { return relative_likelihood(value, theta); }, 0, 1);
    for (Index i = 0; i < points.rows(); ++i) {
      const double theta = points(i, k);
      const bool inside = theta >= 0 && theta <= 1;
      density[static_cast<std::size_t>(i)] *=
          inside ? relative_likelihood(value, theta) / evidence : 0;
    }
  }
  return density;
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
      .reference = {.log_likelihood =
                        [model](std::span<const double> x, std::span<const double> theta) {
                          return model.log_likelihood(x, theta);
                        },
                    .samples = reference_samples,
                    .marginal_density = marginal_density},
  };
}

}  // namespace hone
