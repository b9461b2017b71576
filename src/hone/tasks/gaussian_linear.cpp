// The benchmark task of sbibm: 10 means of a Gaussian. Prior N(0, 0.1), noise N(0, 0.1), both
// variances; then the posterior is N(x / 2, 0.05), independent in every parameter.

#include <cmath>

#include "hone/tasks/builtin.h"
#include "hone/tasks/gaussian_noise.h"
#include "hone/tasks/reference.h"

namespace hone {
namespace {

constexpr int kDimensions = 10;
constexpr const char* kName = "gaussian_linear";
const double kSigma = std::sqrt(0.1);            // of prior and noise
const double kPosteriorSigma = std::sqrt(0.05);  // 1 / (1 / 0.1 + 1 / 0.1)

AxisPosterior posterior_of_one(double x) {
  return axis_posterior(
      make_distribution({"normal", {{"mean", x / 2}, {"sigma", kPosteriorSigma}}, {}}));
}

}  // namespace

Task gaussian_linear_task() {
  const GaussianNoise model{kName,
                            [](std::span<double> x, std::span<const double> theta) {
                              std::copy(theta.begin(), theta.end(), x.begin());
                            },
                            std::vector<double>(kDimensions, kSigma)};
  return {
      .name = kName,
      .description =
          "Ten means of a Gaussian with a Gaussian prior; the posterior is known exactly.",
      .prior = same_prior(kDimensions,
                          make_distribution({"normal", {{"mean", 0}, {"sigma", kSigma}}, {}})),
      // Observation 1 of the benchmark.
      .truth = {0.27184236, 0.6762953, 0.17189318, -0.04218617, -0.82151634, 0.024290232,
                -0.24255924, -0.16438946, -0.13595216, 0.26958188},
      .observation = {1.0471346, 0.5566712, -0.23618454, 0.027879834, -1.0051446, -0.007930746,
                      0.06117077, -0.29286885, -0.38539964, 0.2449614},
      .budget = 10000,
      .simulator = [model] { return model.simulator(); },
      .reference = model.with_likelihood(product_reference(kName, kDimensions, posterior_of_one)),
  };
}

}  // namespace hone
