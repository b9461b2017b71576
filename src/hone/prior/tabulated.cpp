// A density given on a grid, linear in between; the triangular one has a grid of three points. Cdf
// and quantile are exact for that density.

#include <algorithm>
#include <cmath>
#include <vector>

#include "hone/core/error.h"
#include "hone/prior/distribution_makers.h"

namespace hone {
namespace {

class Tabulated : public Distribution {
 public:
  // x and density restricted to the support; density may have any normalisation.
  Tabulated(const DistributionSpec& spec, std::vector<double> x, std::vector<double> density)
      : Distribution(spec, x.front(), x.back()), x_(std::move(x)), density_(std::move(density)) {
    const std::size_t points = x_.size();
    below_.assign(points, 0);
    above_.assign(points, 0);
    for (std::size_t i = 1; i < points; ++i) below_[i] = below_[i - 1] + segment_mass(i - 1);
    const double total = below_.back();
    for (double& value : density_) value /= total;
    for (double& value : below_) value /= total;
    for (std::size_t i = points - 1; i > 0; --i) above_[i - 1] = above_[i] + segment_mass(i - 1);
  }

 private:
  double segment_mass(std::size_t i) const {
    return 0.5 * (x_[i + 1] - x_[i]) * (density_[i] + density_[i + 1]);
  }

  // The segment that holds x.
  std::size_t segment(double x) const {
    const auto next = std::upper_bound(x_.begin() + 1, x_.end() - 1, x);
    return static_cast<std::size_t>(next - x_.begin()) - 1;
  }

  // Mass from the end with density `start` over `distance` of a segment of `length`.
  static double partial_mass(double start, double end, double distance, double length) {
    return distance * (start + 0.5 * (end - start) * (distance / length));
  }

  // The distance for which partial_mass is `mass`: the stable root of the quadratic, in units of
  // the segment so that no scale of x can underflow.
  static double partial_distance(double start, double end, double mass, double length) {
    if (mass <= 0) return 0;
    const double a = start * length;
    const double b = end * length;
    return length *
           std::min(1.0, 2 * mass / (a + std::sqrt(std::max(0.0, a * a + 2 * (b - a) * mass))));
  }

  double log_density_inside(double x) const override {
    const std::size_t i = segment(x);
    const double length = x_[i + 1] - x_[i];
    return std::log(density_[i] * ((x_[i + 1] - x) / length) +
                    density_[i + 1] * ((x - x_[i]) / length));
  }
  double mass_below(double x) const override {
    const std::size_t i = segment(x);
    return below_[i] + partial_mass(density_[i], density_[i + 1], x - x_[i], x_[i + 1] - x_[i]);
  }
  double mass_above(double x) const override {
    const std::size_t i = segment(x);
    return above_[i + 1] +
           partial_mass(density_[i + 1], density_[i], x_[i + 1] - x, x_[i + 1] - x_[i]);
  }
  double lower_quantile(double p) const override {
    const auto next = std::lower_bound(below_.begin() + 1, below_.end() - 1, p);
    const auto i = static_cast<std::size_t>(next - below_.begin()) - 1;
    return x_[i] + partial_distance(density_[i], density_[i + 1], p - below_[i], x_[i + 1] - x_[i]);
  }
  double upper_quantile(double q) const override {
    // above_ falls along the grid: the first point with no more than q above it ends the segment.
    const auto end = std::partition_point(above_.begin() + 1, above_.end() - 1,
                                          [q](double above) { return above >= q; });
    const auto i = static_cast<std::size_t>(end - above_.begin()) - 1;
    return x_[i + 1] -
           partial_distance(density_[i + 1], density_[i], q - above_[i + 1], x_[i + 1] - x_[i]);
  }

  std::vector<double> x_;
  std::vector<double> density_;
  std::vector<double> below_;  // mass below x[i]
  std::vector<double> above_;  // mass above x[i]
};

void check_grid(const std::vector<double>& x, const std::vector<double>& density,
                const std::string& place) {
  if (x.size() < 2) {
    fail_place(place + ".x", fmt::format("has {} points; must have at least 2", x.size()));
  }
  if (density.size() != x.size()) {
    fail_place(place + ".density",
               fmt::format("has {} values; must have one for each of the {} points of x",
                           density.size(), x.size()));
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i > 0 && !(x[i] > x[i - 1])) {
      fail_value(fmt::format("{}.x[{}]", place, i), x[i],
                 fmt::format("must be greater than x[{}] = {}", i - 1, x[i - 1]));
    }
    if (density[i] < 0) {
      fail_value(fmt::format("{}.density[{}]", place, i), density[i], "must not be negative");
    }
  }
  if (!std::isfinite(x.back() - x.front())) {
    fail_place(place + ".x",
               fmt::format("spans {} to {}, more than double precision can", x.front(), x.back()));
  }
}

}  // namespace

DistributionOwner make_tabulated(const DistributionSpec& spec, std::string_view where) {
  std::vector<double> x = spec.array("x");
  std::vector<double> density = spec.array("density");
  const std::string place(where);
  check_grid(x, density, place);
  const double peak = *std::max_element(density.begin(), density.end());
  if (!(peak > 0)) fail_place(place + ".density", "must be positive somewhere");
  for (double& value : density) value /= peak;  // sums can then neither overflow nor vanish

  // Stretches of zero density at the ends are outside the support.
  std::size_t first = 0;
  while (density[first] == 0 && density[first + 1] == 0) ++first;
  std::size_t last = x.size() - 1;
  while (density[last] == 0 && density[last - 1] == 0) --last;
  const auto keep = [first, last](std::vector<double>& values) {
    values = std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(first),
                                 values.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  };
  keep(x);
  keep(density);
  require_usable_width(x.front(), x.back(), where);
  return std::make_unique<Tabulated>(spec, std::move(x), std::move(density));
}

DistributionOwner make_triangular(const DistributionSpec& spec, std::string_view where) {
  const double low = spec.number("low");
  const double mode = spec.number("mode");
  const double high = spec.number("high");
  require_usable_width(low, high, where);
  std::vector<double> x{low};
  std::vector<double> density{mode > low ? 0.0 : 1.0};
  if (mode > low && mode < high) {
    x.push_back(mode);
    density.push_back(1);
  }
  x.push_back(high);
  density.push_back(mode < high ? 0.0 : 1.0);
  return std::make_unique<Tabulated>(spec, std::move(x), std::move(density));
}

}  // namespace hone
