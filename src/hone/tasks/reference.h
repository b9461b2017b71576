#pragma once

// Inside tasks/ only: what the reference posteriors of several tasks share.

#include <functional>
#include <string>

#include "hone/prior/distribution.h"
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

}  // namespace hone
