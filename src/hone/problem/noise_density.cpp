#include "hone/problem/noise_density.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "hone/core/cholesky.h"

namespace hone {
namespace {

double log_normal_density(double z) {
  return -0.5 * (z * z + std::log(2 * std::numbers::pi));
}

NoiseDensity independent(std::vector<double> sigma, Index size) {
  if (sigma.size() == 1) sigma.resize(static_cast<std::size_t>(size), sigma[0]);
  return [sigma](std::span<const float> x, std::span<const float> noiseless) {
    double log = 0;
    for (std::size_t j = 0; j < sigma.size(); ++j) {
      const double off = static_cast<double>(x[j]) - static_cast<double>(noiseless[j]);
      log += log_normal_density(off / sigma[j]) - std::log(sigma[j]);
    }
    return log;
  };
}

NoiseDensity correlated(const std::vector<double>& covariance, Index size) {
  const auto root = std::make_shared<const Matrix<double>>(
      cholesky(MatrixView<const double>(covariance.data(), size, size)));
  return [root, log_root = log_determinant(*root)](std::span<const float> x,
                                                   std::span<const float> noiseless) {
    std::vector<double> z(x.size());
    for (std::size_t j = 0; j < z.size(); ++j) {
      z[j] = static_cast<double>(x[j]) - static_cast<double>(noiseless[j]);
    }
    solve_lower(z, *root, z);
    double log = -log_root;
    for (const double one : z) log += log_normal_density(one);
    return log;
  };
}

double log_poisson(std::span<const float> x, std::span<const float> noiseless) {
  constexpr double kImpossible = -std::numeric_limits<double>::infinity();
  double log = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double count = static_cast<double>(x[j]), mean = static_cast<double>(noiseless[j]);
    if (count < 0 || count != std::floor(count)) return kImpossible;
    if (mean == 0 && count > 0) return kImpossible;
    log += (count > 0 ? count * std::log(mean) : 0) - mean - std::lgamma(count + 1);
  }
  return log;
}

}  // namespace

NoiseDensity noise_density(const NoiseSpec& spec, Index data_size) {
  if (spec.kind == NoiseKind::poisson) return log_poisson;
  if (spec.kind != NoiseKind::gaussian) return nullptr;
  if (!spec.covariance.empty()) return correlated(spec.covariance, data_size);
  if (std::ranges::find(spec.sigma, 0.0) != spec.sigma.end()) return nullptr;
  return independent(spec.sigma, data_size);
}

}  // namespace hone
