#include "hone/check/proposal.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

constexpr double kEven = 0.1;

double wrapped(double t) {
  const double result = t - std::floor(t);
  return result < 1 ? result : 0;
}

}  // namespace

CircleDensity::CircleDensity(double first, std::span<const double> masses)
    : begin_(first - 0.5 / static_cast<double>(masses.size())), below_{0} {
  const double even = kEven / static_cast<double>(masses.size());
  for (const double mass : masses) below_.push_back(below_.back() + (1 - kEven) * mass + even);
  for (double& value : below_) value /= below_.back();
}

std::size_t CircleDensity::cell(double position) const {
  const std::size_t cells = below_.size() - 1;
  return std::min(cells - 1, static_cast<std::size_t>(position * static_cast<double>(cells)));
}

double CircleDensity::density(double t) const {
  const std::size_t k = cell(wrapped(t - begin_));
  return (below_[k + 1] - below_[k]) * static_cast<double>(below_.size() - 1);
}

double CircleDensity::to_uniform(double t) const {
  const double position = wrapped(t - begin_);
  const std::size_t k = cell(position);
  const double inside = position * static_cast<double>(below_.size() - 1) - static_cast<double>(k);
  return below_[k] + inside * (below_[k + 1] - below_[k]);
}

double CircleDensity::from_uniform(double v) const {
  const auto above = std::upper_bound(below_.begin() + 1, below_.end() - 1, v);
  const auto k = static_cast<std::size_t>(above - below_.begin() - 1);
  const double inside = (v - below_[k]) / (below_[k + 1] - below_[k]);
  return wrapped(begin_ +
                 (static_cast<double>(k) + inside) / static_cast<double>(below_.size() - 1));
}

}  // namespace hone
