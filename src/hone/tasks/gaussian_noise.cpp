#include "hone/tasks/gaussian_noise.h"

#include <algorithm>
#include <cmath>

#include <boost/math/quadrature/gauss.hpp>

#include "hone/core/error.h"
#include "hone/prior/standard_normal.h"

namespace hone {

double log_normal_density(double x, double mean, double sigma) {
  const double z = (x - mean) / sigma;
  return -0.5 * z * z - kLogSqrtTwoPi - std::log(sigma);
}

std::unique_ptr<Simulator> GaussianNoise::simulator() const {
  return make_simulator(
      std::ssize(sigma),
      [model = *this](std::span<double> x, std::span<const double> theta, Rng noise) {
        model.mean(x, theta);
        for (std::size_t k = 0; k < x.size(); ++k) x[k] += model.sigma[k] * noise.normal();
      });
}

std::vector<double> GaussianNoise::noiseless(std::span<const double> theta) const {
  std::vector<double> x(sigma.size());
  mean(x, theta);
  return x;
}

double GaussianNoise::log_likelihood(std::span<const double> x,
                                     std::span<const double> theta) const {
  require_observation(x, std::ssize(sigma), task);
  const std::vector<double> centre = noiseless(theta);
  double sum = 0;
  for (std::size_t k = 0; k < centre.size(); ++k) {
    sum += log_normal_density(x[k], centre[k], sigma[k]);
  }
  return sum;
}

ReferencePosterior GaussianNoise::with_likelihood(ReferencePosterior rest) const {
  rest.log_likelihood = [model = *this](std::span<const double> x, std::span<const double> theta) {
    return model.log_likelihood(x, theta);
  };
  return rest;
}

void require_observation(std::span<const double> x, Index size, std::string_view task) {
  if (std::ssize(x) != size) {
    fail(ErrorKind::input, "observation has {} values: task '{}' needs {}", x.size(), task, size);
  }
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!std::isfinite(x[k])) {
      fail(ErrorKind::input, "observation[{}] = {}: must be a finite number", k, x[k]);
    }
  }
}

Prior same_prior(int dimensions, const DistributionPointer& distribution) {
  std::vector<Parameter> parameters;
  parameters.reserve(static_cast<std::size_t>(dimensions));
  for (int d = 0; d < dimensions; ++d) {
    parameters.push_back(
        {fmt::format("theta_{}", d), fmt::format("$\\theta_{{{}}}$", d), distribution});
  }
  return Prior(std::move(parameters));
}

double integrate(const std::function<double(double)>& f, double low, double high) {
  if (!(low < high)) return 0;
  const int cells = std::max(1, static_cast<int>(std::ceil((high - low) * 256)));
  double sum = 0;
  for (int i = 0; i < cells; ++i) {
    const double left = low + (high - low) * i / cells;
    const double right = low + (high - low) * (i + 1) / cells;
    sum += boost::math::quadrature::gauss<double, 7>::integrate(f, left, right);
  }
  return sum;
}

}  // namespace hone
