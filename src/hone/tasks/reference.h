#pragma once

// Inside tasks/ and bench/ only: what reference posteriors have in common.

#include <functional>
#include <string>

#include "hone/prior/distribution.h"
#include "hone/tasks/posterior_sampler.h"
#include "hone/tasks/task.h"

namespace hone {

// Rows of theta, each written by `draw` with a stream of its own: independent of their number and
// of threads.
Matrix<double> draw_rows(Index rows, Index parameters, const Rng& rng,
                         const std::function<void(std::span<double> theta, Rng& rng)>& draw);

// The posterior of one parameter that only one datum informs about.
struct AxisPosterior {
  std::function<double(Rng& rng)> draw;
  std::function<double(double theta)> density;  // normalised
};
AxisPosterior axis_posterior(const DistributionPointer& distribution);

// p(theta | x) = prod_d p(theta_d | x_d); `axis` gives a factor. The likelihood is the task's own.
ReferencePosterior product_reference(const std::string& task, int dimensions,
                                     const std::function<AxisPosterior(double x)>& axis);

// Of any task with a likelihood and a product prior, by PosteriorSampler.
std::function<Matrix<double>(std::span<const double> x, Index rows, const Rng& rng)>
samples_by_rejection(const Prior& prior, Index data_size, const std::string& task,
                     const std::function<double(std::span<const double> x,
                                                std::span<const double> theta)>& log_likelihood,
                     const PosteriorSamplerOptions& options = {});

}  // namespace hone
