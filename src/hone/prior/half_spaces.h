#pragma once

#include "hone/prior/region_constraint.h"

namespace hone {

// Linear inequalities a . u <= b, all of which must hold: a polytope in u.
class HalfSpaces : public RegionConstraint {
 public:
  static constexpr const char* kKind = "half_spaces";

  struct Condition {
    std::vector<double> coefficients;  // one per parameter
    double limit = 0;
  };
  // Throws Error{input} if there is none, they differ in size, or a number is not finite.
  explicit HalfSpaces(std::vector<Condition> conditions);

  int dimensions() const override;
  bool contains(std::span<const double> u) const override;
  nlohmann::json to_json() const override;
  std::string describe(std::span<const std::string> names) const override;

 private:
  std::vector<Condition> conditions_;
};

ConstraintPointer half_spaces_from_json(const nlohmann::json& json, int dimensions);

}  // namespace hone
