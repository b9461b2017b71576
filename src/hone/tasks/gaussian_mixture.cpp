// The benchmark task of sbibm: the common mean of two Gaussians in the plane, one ten times wider
// than the other, with equal weights; uniform prior on [-10, 10]^2. The posterior is the same
// mixture around x, cut to the square.

#include <array>
#include <cmath>

#include "hone/core/error.h"
#include "hone/tasks/builtin.h"
#include "hone/tasks/gaussian_noise.h"
#include "hone/tasks/reference.h"

namespace hone {
namespace {

constexpr int kDimensions = 2;
constexpr double kBound = 10;
constexpr double kSigma[] = {1, 0.1};
constexpr const char* kName = "gaussian_mixture";

double log_likelihood(std::span<const double> x, std::span<const double> theta) {
  require_observation(x, kDimensions, kName);
  double log_density[2];
  for (int c = 0; c < 2; ++c) {
    log_density[c] = log_normal_density(x[0], theta[0], kSigma[c]) +
                     log_normal_density(x[1], theta[1], kSigma[c]);
  }
  const double larger = std::max(log_density[0], log_density[1]);
  return larger +
         std::log((std::exp(log_density[0] - larger) + std::exp(log_density[1] - larger)) / 2);
}

// One component of the posterior: independent cut normals, and the mass inside the square of the
// component before the cut.
struct Component {
  std::array<DistributionPointer, kDimensions> axes;
  double mass = 1;
};

Component make_component(std::span<const double> x, double sigma) {
  Component component;
  for (std::size_t d = 0; d < kDimensions; ++d) {
    const DistributionPointer whole =
        make_distribution({"normal", {{"mean", x[d]}, {"sigma", sigma}}, {}});
    component.mass *= x[d] > 0 ? whole->cdf(kBound) - whole->cdf(-kBound)
                               : whole->cdf_complement(-kBound) - whole->cdf_complement(kBound);
    component.axes[d] =
        make_distribution({"truncated_normal",
                           {{"mean", x[d]}, {"sigma", sigma}, {"low", -kBound}, {"high", kBound}},
                           {}});
  }
  return component;
}

struct Posterior {
  explicit Posterior(std::span<const double> x) {
    require_observation(x, kDimensions, kName);
    for (int c = 0; c < 2; ++c) components[c] = make_component(x, kSigma[c]);
    weight_of_first = components[0].mass / (components[0].mass + components[1].mass);
    if (!std::isfinite(weight_of_first)) {
      fail(ErrorKind::numerical, "{}: the observation is too far from any simulation", kName);
    }
  }

  Component components[2];
  double weight_of_first = 0;
};

Matrix<double> reference_samples(std::span<const double> x, Index rows, const Rng& rng) {
  const Posterior posterior(x);
  return draw_rows(rows, kDimensions, rng, [&](std::span<double> theta, Rng& draw) {
    const Component& component =
        posterior.components[draw.uniform() < posterior.weight_of_first ? 0 : 1];
    for (std::size_t d = 0; d < kDimensions; ++d) {
      theta[d] = component.axes[d]->quantile(draw.uniform());
    }
  });
}

std::vector<double> marginal_density(std::span<const double> x, const Marginal& marginal,
                                     MatrixView<const double> points) {
  const Posterior posterior(x);
  HONE_ASSERT(points.cols() == std::ssize(marginal));
  std::vector<double> density;
  for (Index i = 0; i < points.rows(); ++i) {
    double terms[] = {0, 0};
    for (int c = 0; c < 2; ++c) {
      for (Index k = 0; k < points.cols(); ++k) {
        const int d = marginal[static_cast<std::size_t>(k)];
        terms[c] += posterior.components[c].axes[d]->log_density(points(i, k));
      }
    }
    density.push_back(posterior.weight_of_first * std::exp(terms[0]) +
                      (1 - posterior.weight_of_first) * std::exp(terms[1]));
  }
  return density;
}

}  // namespace

Task gaussian_mixture_task() {
  return {
      .name = kName,
      .description = "The common mean of a wide and a narrow Gaussian in the plane.",
      .prior = same_prior(kDimensions,
                          make_distribution({"uniform", {{"low", -kBound}, {"high", kBound}}, {}})),
      // Observation 1 of the benchmark.
      .truth = {-9.527071, -1.4817104},
      .observation = {-9.472713, -1.4950509},
      .budget = 10000,
      .simulator =
          [] {
            return make_simulator(
                kDimensions, [](std::span<double> x, std::span<const double> theta, Rng noise) {
                  const double sigma = kSigma[noise.uniform() < 0.5 ? 0 : 1];
                  for (std::size_t d = 0; d < x.size(); ++d) {
                    x[d] = theta[d] + sigma * noise.normal();
                  }
                });
          },
      .reference = {log_likelihood, reference_samples, marginal_density},
  };
}

}  // namespace hone
