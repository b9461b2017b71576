#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace hone {

// A condition on points u = CDF(theta) inside the intervals of a region, which gives the region a
// shape that intervals alone cannot have. Never changes once made.
//
// It is asked by u as a double: within 1e-16 of 1 points cannot be told apart, so a condition that
// matters only there belongs into the intervals.
class RegionConstraint {
 public:
  virtual ~RegionConstraint() = default;

  virtual int dimensions() const = 0;
  virtual bool contains(std::span<const double> u) const = 0;

  // Lossless, with its "kind": two constraints are equal if these are.
  virtual nlohmann::json to_json() const = 0;
  // For people; `names` of the parameters.
  virtual std::string describe(std::span<const std::string> names) const = 0;
};
using ConstraintPointer = std::shared_ptr<const RegionConstraint>;

// Both absent, or the same values.
bool equal(const ConstraintPointer& a, const ConstraintPointer& b);

// Inside all of these. Absent ones and repeated ones do not count; of none left: absent.
ConstraintPointer all_of(const std::vector<ConstraintPointer>& parts);

// Of any kind that is known, for so many parameters. Throws Error{input}.
ConstraintPointer constraint_from_json(const nlohmann::json& json, int dimensions);

}  // namespace hone
