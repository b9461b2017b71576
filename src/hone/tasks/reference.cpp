#include "hone/tasks/reference.h"

#include <cmath>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/tasks/gaussian_noise.h"

namespace hone {

Matrix<double> draw_rows(Index rows, Index parameters, const Rng& rng,
                         const std::function<void(std::span<double> theta, Rng& rng)>& draw) {
  Matrix<double> samples(rows, parameters);
  parallel_for(rows, [&](Index i) {
    Rng row = rng.child("reference", static_cast<std::uint64_t>(i));
    draw(samples.row(i), row);
  });
  return samples;
}

AxisPosterior axis_posterior(const DistributionPointer& distribution) {
  return {[distribution](Rng& rng) { return distribution->quantile(rng.uniform()); },
          [distribution](double theta) { return std::exp(distribution->log_density(theta)); }};
}

ReferencePosterior product_reference(const std::string& task, int dimensions,
                                     const std::function<AxisPosterior(double x)>& axis) {
  ReferencePosterior reference;
  reference.samples = [=](std::span<const double> x, Index rows, const Rng& rng) {
    require_observation(x, dimensions, task);
    std::vector<AxisPosterior> axes;
    for (const double value : x) axes.push_back(axis(value));
    return draw_rows(rows, dimensions, rng, [&axes](std::span<double> theta, Rng& draw) {
      for (std::size_t d = 0; d < theta.size(); ++d) theta[d] = axes[d].draw(draw);
    });
  };
  reference.marginal_density = [=](std::span<const double> x, const Marginal& marginal,
                                   MatrixView<const double> points) {
    require_observation(x, dimensions, task);
    HONE_ASSERT(points.cols() == std::ssize(marginal));
    std::vector<double> density(static_cast<std::size_t>(points.rows()), 1);
    for (Index k = 0; k < points.cols(); ++k) {
      const AxisPosterior factor =
          axis(x[static_cast<std::size_t>(marginal[static_cast<std::size_t>(k)])]);
      for (Index i = 0; i < points.rows(); ++i) {
        density[static_cast<std::size_t>(i)] *= factor.density(points(i, k));
      }
    }
    return density;
  };
  return reference;
}

std::function<Matrix<double>(std::span<const double> x, Index rows, const Rng& rng)>
samples_by_rejection(const Prior& prior, Index data_size, const std::string& task,
                     const std::function<double(std::span<const double> x,
                                                std::span<const double> theta)>& log_likelihood,
                     const PosteriorSamplerOptions& options) {
  return [=](std::span<const double> x, Index rows, const Rng& rng) {
    require_observation(x, data_size, task);
    const PosteriorSampler sampler(
        prior, [=](std::span<const double> theta) { return log_likelihood(x, theta); },
        rng.child("proposal"), options);
    return draw_rows(rows, prior.dimensions(), rng,
                     [&sampler](std::span<double> theta, Rng& draw) { sampler.draw(theta, draw); });
  };
}

}  // namespace hone
