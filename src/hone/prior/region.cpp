#include "hone/prior/region.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"
#include "hone/core/rng.h"
#include "hone/prior/truncated_prior.h"

namespace hone {
namespace {

bool valid(const UnitPoint& point) {
  // Loose on purpose: u and its complement come from two computations.
  return point.u >= 0 && point.u <= 1 && point.complement >= 0 && point.complement <= 1 &&
         std::abs(point.u + point.complement - 1) < 1e-9;
}

void check_intervals(std::size_t d, const std::vector<Interval>& intervals) {
  if (intervals.empty()) fail(ErrorKind::input, "region: axis {} has no interval", d);
  for (const Interval& interval : intervals) {
    const auto& [low, high] = interval;
    if (valid(low) && valid(high) && low < high) continue;
    fail(ErrorKind::input,
         "region: axis {} has the interval [{}, {}] (complements {}, {}); it must rise within "
         "[0, 1]",
         d, low.u, high.u, low.complement, high.complement);
  }
}

// Sorted, with those that touch joined.
std::vector<Interval> merged(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.low < b.low; });
  std::vector<Interval> result{intervals.front()};
  for (const Interval& next : intervals) {
    if (next.low <= result.back().high) {
      result.back().high = std::max(result.back().high, next.high);
    } else {
      result.push_back(next);
    }
  }
  return result;
}

// The part of the intervals' product where the constraint holds. The points are the same for every
// region in its own coordinates, so that masses of a region and of a part of it compare well.
double accepted_part(const Region& region, const RegionConstraint& constraint) {
  std::vector<TruncatedAxis> axes;
  axes.reserve(static_cast<std::size_t>(region.dimensions()));
  for (int d = 0; d < region.dimensions(); ++d) axes.emplace_back(region.axis(d));
  Rng rng = Rng(0).child("points of a constrained region");
  std::vector<double> u(axes.size());
  int hits = 0;
  for (int i = 0; i < Region::kAcceptancePoints; ++i) {
    for (std::size_t d = 0; d < u.size(); ++d) {
      u[d] = axes[d].to_unit(unit_point(rng.uniform())).u;
    }
    hits += constraint.contains(u) ? 1 : 0;
  }
  return static_cast<double>(hits) / Region::kAcceptancePoints;
}

}  // namespace

Region Region::whole(int dimensions) {
  HONE_ASSERT(dimensions > 0);
  return box(std::vector<Interval>(static_cast<std::size_t>(dimensions)));
}

Region Region::box(const std::vector<Interval>& axes) {
  std::vector<std::vector<Interval>> lists;
  lists.reserve(axes.size());
  for (const Interval& interval : axes) lists.push_back({interval});
  return Region(std::move(lists));
}

Region::Region(std::vector<std::vector<Interval>> axes) : axes_(std::move(axes)) {
  if (axes_.empty()) fail(ErrorKind::input, "region: must have at least one axis");
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    check_intervals(d, axes_[d]);
    axes_[d] = merged(std::move(axes_[d]));
  }
}

Region Region::constrained(const ConstraintPointer& constraint) const {
  if (constraint == nullptr) return *this;
  if (constraint->dimensions() != dimensions()) {
    fail(ErrorKind::input, "region: a constraint of {} parameters in a region of {}",
         constraint->dimensions(), dimensions());
  }
  Region result = *this;
  result.constraint_ = all_of({constraint_, constraint});
  result.acceptance_ = accepted_part(*this, *result.constraint_);
  if (result.acceptance_ == 0) {
    fail(ErrorKind::numerical,
         "region: its constraint leaves less than one point in {} of the intervals, too little to "
         "draw from; narrow the intervals around what the constraint leaves",
         kAcceptancePoints);
  }
  return result;
}

const std::vector<Interval>& Region::axis(int d) const {
  HONE_ASSERT(d >= 0 && d < dimensions());
  return axes_[static_cast<std::size_t>(d)];
}

Interval Region::hull(int d) const {
  return {axis(d).front().low, axis(d).back().high};
}

double Region::axis_mass(int d) const {
  double sum = 0;
  for (const Interval& interval : axis(d)) sum += interval.mass();
  return sum;
}

double Region::mass() const {
  double product = acceptance_;
  for (int d = 0; d < dimensions(); ++d) product *= axis_mass(d);
  return product;
}

double Region::log_mass() const {
  double sum = std::log(acceptance_);
  for (int d = 0; d < dimensions(); ++d) sum += std::log(axis_mass(d));
  return sum;
}

bool Region::is_whole() const {
  return *this == whole(dimensions());
}

bool Region::contains_axis(int d, const UnitPoint& point) const {
  const std::vector<Interval>& intervals = axis(d);
  return std::any_of(intervals.begin(), intervals.end(),
                     [&point](const Interval& interval) { return interval.contains(point); });
}

bool Region::contains(const Prior& prior, std::span<const double> theta) const {
  HONE_ASSERT(prior.dimensions() == dimensions() && std::ssize(theta) == dimensions());
  std::vector<double> u;  // only where it is asked for: regions are asked millions of times
  if (has_constraint()) u.reserve(theta.size());
  for (int d = 0; d < dimensions(); ++d) {
    const double value = theta[static_cast<std::size_t>(d)];
    // Outside the support u is 0 or 1, which is in the whole prior; and NaN is nowhere.
    if (!(value >= prior[d].lower() && value <= prior[d].upper())) return false;
    const UnitPoint point = to_unit(prior[d], value);
    if (!contains_axis(d, point)) return false;
    if (has_constraint()) u.push_back(point.u);
  }
  return !has_constraint() || constraint_->contains(u);
}

bool Region::contains_unit(std::span<const double> u) const {
  HONE_ASSERT(std::ssize(u) == dimensions());
  for (int d = 0; d < dimensions(); ++d) {
    const double value = u[static_cast<std::size_t>(d)];
    if (!(value >= 0 && value <= 1) || !contains_axis(d, unit_point(value))) return false;
  }
  return !has_constraint() || constraint_->contains(u);
}

Region Region::intersect(const Region& other) const {
  HONE_ASSERT(other.dimensions() == dimensions());
  std::vector<std::vector<Interval>> axes;
  for (int d = 0; d < dimensions(); ++d) {
    std::vector<Interval> common;
    for (const Interval& a : axis(d)) {
      for (const Interval& b : other.axis(d)) {
        const Interval both{std::max(a.low, b.low), std::min(a.high, b.high)};
        if (both.low < both.high) common.push_back(both);
      }
    }
    if (common.empty()) {
      fail(ErrorKind::numerical, "regions have nothing in common on axis {}", d);
    }
    axes.push_back(std::move(common));
  }
  return Region(std::move(axes)).constrained(all_of({constraint_, other.constraint_}));
}

namespace {

// Where an interval begins. Between two whole numbers that is with the one above.
double first_value(const Distribution& distribution, const UnitPoint& low) {
  const double value = to_theta(distribution, low);
  const bool before = distribution.discrete() && to_unit(distribution, value) < low;
  return before ? value + 1 : value;
}

}  // namespace

std::vector<Bounds> theta_bounds(const Prior& prior, const Region& region, int d) {
  std::vector<Bounds> bounds;
  for (const Interval& interval : region.axis(d)) {
    bounds.push_back({first_value(prior[d], interval.low), to_theta(prior[d], interval.high)});
  }
  return bounds;
}

Bounds theta_hull(const Prior& prior, const Region& region, int d) {
  const Interval hull = region.hull(d);
  return {first_value(prior[d], hull.low), to_theta(prior[d], hull.high)};
}

Region region_from_theta(const Prior& prior, const std::vector<Bounds>& bounds) {
  if (std::ssize(bounds) != prior.dimensions()) {
    fail(ErrorKind::input, "region: {} bounds for {} parameters; give one for each", bounds.size(),
         prior.dimensions());
  }
  std::vector<Interval> axes;
  for (int d = 0; d < prior.dimensions(); ++d) {
    auto [low, high] = bounds[static_cast<std::size_t>(d)];
    if (prior[d].discrete()) {  // whole values only
      low = std::ceil(low) - 0.5;
      high = std::floor(high) + 0.5;
    }
    const Interval interval{to_unit(prior[d], low), to_unit(prior[d], high)};
    if (std::isnan(low) || std::isnan(high) || !(interval.low < interval.high)) {
      fail(ErrorKind::input, "region: no prior mass of '{}' lies between {} and {}",
           prior.parameter(d).name, low, high);
    }
    axes.push_back(interval);
  }
  return Region::box(axes);
}

}  // namespace hone
