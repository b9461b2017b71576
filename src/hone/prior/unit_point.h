#pragma once

#include "hone/prior/distribution.h"

namespace hone {

// A point of [0, 1] that knows its distance from both ends. A double u cannot come closer to 1 than
// 1e-16, which for a normal prior is 8 sigma; 1 - u kept beside it can.
struct UnitPoint {
  double u = 0;
  double complement = 1;  // 1 - u, relatively accurate

  bool operator==(const UnitPoint&) const = default;
};

// Both to the precision of the argument.
UnitPoint unit_point(double u);
UnitPoint unit_point_from_complement(double complement);

// Compared where the digits are: by u in the lower half, by the complement in the upper half.
bool operator<(const UnitPoint& a, const UnitPoint& b);
inline bool operator<=(const UnitPoint& a, const UnitPoint& b) {
  return !(b < a);
}

// u = CDF(theta) and back.
UnitPoint to_unit(const Distribution& distribution, double theta);
double to_theta(const Distribution& distribution, const UnitPoint& point);

// A stretch of one axis, ends included.
struct Interval {
  UnitPoint low;            // 0
  UnitPoint high = {1, 0};  // 1

  double mass() const;
  bool contains(const UnitPoint& point) const { return low <= point && point <= high; }
  bool operator==(const Interval&) const = default;
};

// What a value of a discrete distribution owns.
Interval unit_interval(const Distribution& distribution, double value);

// b - a for a <= b, without cancellation near 1.
double distance(const UnitPoint& a, const UnitPoint& b);

// The point with mass `from_low` between it and the lower end, and `from_high` to the upper end.
UnitPoint point_inside(const Interval& interval, double from_low, double from_high);

}  // namespace hone
