#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/prior/prior.h"
#include "hone/simulator/simulator.h"
#include "hone/tasks/task.h"

namespace hone {

// x = g(theta) + sigma n with independent standard normal n: the model of several tasks.
struct GaussianNoise {
  std::string task;  // its name, for messages
  std::function<void(std::span<double> x, std::span<const double> theta)> mean;  // g
  std::vector<double> sigma;  // one for each element of x

  std::unique_ptr<Simulator> simulator() const;
  std::vector<double> noiseless(std::span<const double> theta) const;  // g(theta)
  double log_likelihood(std::span<const double> x, std::span<const double> theta) const;
  ReferencePosterior with_likelihood(ReferencePosterior rest) const;  // fills in log_likelihood
};

// log of the normal density.
double log_normal_density(double x, double mean, double sigma);

// Throws Error{input} unless x has `size` finite numbers.
void require_observation(std::span<const double> x, Index size, std::string_view task);

// theta_0, theta_1, ... with the same distribution.
Prior same_prior(int dimensions, const DistributionPointer& distribution);

// Integral of a function whose features are no narrower than a cell: 7-point Gauss rule on cells of
// width 1/256 or less.
double integrate(const std::function<double(double)>& f, double low, double high);

}  // namespace hone
