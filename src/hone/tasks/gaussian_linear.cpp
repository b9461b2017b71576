// The benchmark task of sbibm: 10 means of a Gaussian. Prior N(0, 0.1), noise N(0, 0.1), both
// variances; then the posterior is N(x / 2, 0.05), independent in every parameter.

#include <cmath>

#include "hone/core/error.h"
#include "hone/tasks/builtin.h"
#include "hone/tasks/gaussian_noise.h"

namespace hone {
namespace {

constexpr int kDimensions = 10;
constexpr const char* kName = "gaussian_linear";
const double kSigma = std::sqrt(0.1);            // of prior and noise
const double kPosteriorSigma = std::sqrt(0.05);  // 1 / (1 / 0.1 + 1 / 0.1)

Matrix<double> reference_samples(std::span<const double> x, Index rows, const Rng& rng) {
  require_observation(x, kDimensions, kName);
  Matrix<double> samples(rows, kDimensions);
  for (Index i = 0; i < rows; ++i) {
    Rng draw = rng.child("reference", static_cast<std::uint64_t>(i));
    for (int d = 0; d < kDimensions; ++d) {
      samples(i, d) = x[static_cast<std::size_t>(d)] / 2 + kPosteriorSigma * draw.normal();
    }
  }
  return samples;
}

std::vector<double> marginal_density(std::span<const double> x, const Marginal& marginal,
                                     MatrixView<const double> points) {
  require_observation(x, kDimensions, kName);
  HONE_ASSERT(points.cols() == std::ssize(marginal));
  std::vector<double> density;
  for (Index i = 0; i < points.rows(); ++i) {
    double log_density = 0;
    for (Index k = 0; k < points.cols(); ++k) {
      const auto d = static_cast<std::size_t>(marginal[static_cast<std::size_t>(k)]);
      log_density += log_normal_density(points(i, k), x[d] / 2, kPosteriorSigma);
    }
    density.push_back(std::exp(log_density));
  }
  return density;
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
      .reference = {.log_likelihood =
                        [model](std::span<const double> x, std::span<const double> theta) {
                          return model.log_likelihood(x, theta);
                        },
                    .samples = reference_samples,
                    .marginal_density = marginal_density},
  };
}

}  // namespace hone
