#include "hone/prior/unit_point.h"

#include <algorithm>

namespace hone {

UnitPoint unit_point(double u) {
  return {u, 1 - u};
}

UnitPoint unit_point_from_complement(double complement) {
  return {1 - complement, complement};
}

bool operator<(const UnitPoint& a, const UnitPoint& b) {
  if (a.u <= 0.5) return b.u > 0.5 || a.u < b.u;
  return b.u > 0.5 && a.complement > b.complement;
}

UnitPoint to_unit(const Distribution& distribution, double theta) {
  return {distribution.cdf(theta), distribution.cdf_complement(theta)};
}

double to_theta(const Distribution& distribution, const UnitPoint& point) {
  return point.u <= 0.5 ? distribution.quantile(point.u)
                        : distribution.quantile_complement(point.complement);
}

Interval unit_interval(const Distribution& distribution, double value) {
  return {to_unit(distribution, value - 0.5), to_unit(distribution, value + 0.5)};
}

double Interval::mass() const {
  return distance(low, high);
}

double distance(const UnitPoint& a, const UnitPoint& b) {
  if (b.u <= 0.5) return b.u - a.u;
  if (a.u > 0.5) return a.complement - b.complement;
  return (0.5 - a.u) + (0.5 - b.complement);
}

UnitPoint point_inside(const Interval& interval, double from_low, double from_high) {
  const auto& [low, high] = interval;
  const bool near_low = from_low <= from_high;
  const double u = high.u <= 0.5 && !near_low ? high.u - from_high : low.u + from_low;
  const UnitPoint point =
      u <= 0.5 ? unit_point(u)
               : unit_point_from_complement(low.u > 0.5 && near_low ? low.complement - from_low
                                                                    : high.complement + from_high);
  return std::clamp(point, low, high);
}

}  // namespace hone
