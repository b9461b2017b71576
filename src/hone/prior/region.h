#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "hone/prior/prior.h"
#include "hone/prior/region_constraint.h"
#include "hone/prior/unit_point.h"

namespace hone {

// A part of the prior, described in u = CDF(theta) of each axis: on every axis a union of disjoint
// intervals, their product in all, and of this what satisfies a constraint, if there is one. The
// whole prior and a box are the cases of one interval per axis. Coordinates u make volumes prior
// masses, and do not change when a parameter is transformed.
//
// A value: two regions are equal if they hold the same numbers. Whoever needs points or masses asks
// the region (contains, masses, sampling through TruncatedPrior); axis(), hull() and axis_mass()
// describe the intervals around it, in which local coordinates are measured.
class Region {
 public:
  static Region whole(int dimensions);
  static Region box(const std::vector<Interval>& axes);

  // Intervals of an axis may come in any order; those that touch are joined. Throws Error{input}
  // if an axis has none, or one is empty, reversed or outside [0, 1].
  explicit Region(std::vector<std::vector<Interval>> axes);

  // This region, where the constraint holds too. Throws Error{numerical} if hardly anything does.
  Region constrained(const ConstraintPointer& constraint) const;

  int dimensions() const { return static_cast<int>(axes_.size()); }
  const std::vector<Interval>& axis(int d) const;  // sorted, disjoint
  Interval hull(int d) const;

  const ConstraintPointer& constraint() const { return constraint_; }  // absent: null
  bool has_constraint() const { return constraint_ != nullptr; }
  // The part of the intervals' product that satisfies the constraint; 1 without one. Estimated with
  // kAcceptancePoints random points, always the same: standard error sqrt(a (1 - a) / points).
  double acceptance() const { return acceptance_; }
  static constexpr int kAcceptancePoints = 65536;

  double axis_mass(int d) const;  // prior mass of axis d alone
  double mass() const;            // their product, times acceptance(); may underflow
  double log_mass() const;        // may not
  bool is_whole() const;

  // By theta, exact in the tails, false outside the support of the prior. By u for points that are
  // known no better.
  bool contains(const Prior& prior, std::span<const double> theta) const;
  bool contains_axis(int d, const UnitPoint& point) const;  // the intervals of axis d alone
  bool contains_unit(std::span<const double> u) const;

  // Throws Error{numerical} if nothing is common to both.
  Region intersect(const Region& other) const;

  bool operator==(const Region& other) const {
    return axes_ == other.axes_ && equal(constraint_, other.constraint_);
  }

 private:
  std::vector<std::vector<Interval>> axes_;
  ConstraintPointer constraint_;
  double acceptance_ = 1;
};

// In units of the parameter.
struct Bounds {
  double low = 0;
  double high = 0;
  bool operator==(const Bounds&) const = default;
};
std::vector<Bounds> theta_bounds(const Prior& prior, const Region& region, int d);
Bounds theta_hull(const Prior& prior, const Region& region, int d);

// The region between these bounds, one per axis; infinite ones are allowed. Throws Error{input} if
// there is no prior mass between them.
Region region_from_theta(const Prior& prior, const std::vector<Bounds>& bounds);

// Lossless: what is read equals what was written, bit for bit.
nlohmann::json to_json(const Region& region);
Region region_from_json(const nlohmann::json& json);

// For people: masses, and intervals in u or in units of the parameters.
std::string to_string(const Region& region);
std::string to_string(const Region& region, const Prior& prior);

}  // namespace hone
