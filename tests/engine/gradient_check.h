#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"
#include "hone/engine/network.h"

namespace hone::test {

// Tolerance of every gradient test, and the least that a wrong gradient must miss it by.
inline constexpr double kGradientTolerance = 1e-6;
inline constexpr double kWrongGradient = 1e-3;

// What padding is not: the positions of a parameter block's values.
inline std::vector<Index> positions(const ParameterBlock& block) {
  std::vector<Index> result;
  for (Index i = 0; i < block.rows * block.cols; ++i) {
    result.push_back(block.offset + i / block.cols * block.stride + i % block.cols);
  }
  return result;
}

// |directional derivative of `loss` at `point` - gradient . direction|, relative to |gradient| or
// to `least`, whichever is larger. A kink (ReLU) between the two points spoils a difference; a
// shorter step then avoids it, while no step makes a wrong gradient right.
inline double directional_error(const std::function<double(std::span<const double>)>& loss,
                                std::span<const double> point, std::span<const double> gradient,
                                std::span<const double> direction, double least) {
  double expected = 0, size = 0;
  for (std::size_t i = 0; i < point.size(); ++i) {
    expected += gradient[i] * direction[i];
    size += gradient[i] * gradient[i];
  }
  std::vector<double> moved(point.size());
  const auto along = [&](double step) {
    for (std::size_t i = 0; i < point.size(); ++i) moved[i] = point[i] + step * direction[i];
    return loss(moved);
  };
  double error = 1e300;
  for (const double step : {1e-5, 1e-6, 1e-7}) {
    const double slope = (along(step) - along(-step)) / (2 * step);
    error = std::min(error, std::abs(slope - expected) / std::max(std::sqrt(size), least));
    if (error < kGradientTolerance) break;
  }
  return error;
}

// The worst of: one random direction of unit length through all `free` coordinates, and a few
// single coordinates. Each group must be met by itself, so that a small one cannot hide behind the
// others.
inline double gradient_error(const std::function<double(std::span<const double>)>& loss,
                             std::span<const double> point, std::span<const double> gradient,
                             std::span<const std::vector<Index>> groups, Rng rng) {
  // Some groups have no gradient at all, such as a bias in front of a batch norm.
  const double least =
      1e-3 * std::sqrt(std::inner_product(gradient.begin(), gradient.end(), gradient.begin(), 0.0));
  double worst = 0;
  for (const std::vector<Index>& group : groups) {
    std::vector<double> direction(point.size(), 0.0), part(point.size(), 0.0);
    double norm = 0;
    for (const Index i : group) {
      direction[std::size_t(i)] = rng.normal();
      norm += direction[std::size_t(i)] * direction[std::size_t(i)];
      part[std::size_t(i)] = gradient[std::size_t(i)];
    }
    for (double& value : direction) value /= std::sqrt(norm);
    worst = std::max(worst, directional_error(loss, point, part, direction, least));
    const Index single = group[rng.below(group.size())];
    std::ranges::fill(direction, 0.0);
    direction[std::size_t(single)] = 1;
    worst = std::max(worst, directional_error(loss, point, part, direction, least));
  }
  return worst;
}

}  // namespace hone::test
