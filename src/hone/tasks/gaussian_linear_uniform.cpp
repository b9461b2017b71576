// The benchmark task of sbibm: gaussian_linear with a uniform prior on [-1, 1]. The posterior is
// N(x, 0.1) cut to the cube, independent in every parameter.

#include <algorithm>
#include <cmath>

#include "hone/tasks/builtin.h"
#include "hone/tasks/gaussian_noise.h"
#include "hone/tasks/reference.h"

namespace hone {
namespace {

constexpr int kDimensions = 10;
constexpr const char* kName = "gaussian_linear_uniform";
const double kSigma = std::sqrt(0.1);

AxisPosterior posterior_of_one(double x) {
  return axis_posterior(make_distribution(
      {"truncated_normal", {{"mean", x}, {"sigma", kSigma}, {"low", -1}, {"high", 1}}, {}}));
}

}  // namespace

Task gaussian_linear_uniform_task() {
  const GaussianNoise model{kName,
                            [](std::span<double> x, std::span<const double> theta) {
                              std::copy(theta.begin(), theta.end(), x.begin());
                            },
                            std::vector<double>(kDimensions, kSigma)};
  return {
      .name = kName,
      .description = "Ten means of a Gaussian with a uniform prior.",
      .prior =
          same_prior(kDimensions, make_distribution({"uniform", {{"low", -1}, {"high", 1}}, {}})),
      // Observation 1 of the benchmark.
      .truth = {-0.95270705, -0.14817107, 0.9824493, 0.41320384, 0.99042416, -0.74023414, 0.7862458,
                0.043799043, -0.6261761, -0.76511395},
      .observation = {-0.53739023, -0.23864163, 0.81923723, 0.6407443, 0.41616207, -0.09746933,
                      1.1292295, -0.05842293, -0.97055256, -0.9423423},
      .budget = 10000,
      .simulator = [model] { return model.simulator(); },
      .reference = model.with_likelihood(product_reference(kName, kDimensions, posterior_of_one)),
  };
}

}  // namespace hone
