#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "hone/prior/expression.h"

namespace hone {

// A function of the parameters whose posterior is wanted too. In JSON and in problem files
// {"name": "S8", "label": "S_8", "value": "sigma8 * sqrt(omega_m / 0.3)"}.
struct DerivedQuantity {
  std::string name;
  std::string label;  // in figures; the name if empty
  std::string value;  // a formula (hone/prior/expression.h)
  bool operator==(const DerivedQuantity&) const = default;
};

// A list of them. Reads the shape only; Prior::with_derived() checks the meaning.
nlohmann::json to_json(const std::vector<DerivedQuantity>& derived);
std::vector<DerivedQuantity> derived_from_json(const nlohmann::json& json);

// "S8 = sigma8 * sqrt(omega_m / 0.3)", or a formula that is its own name.
DerivedQuantity parse_derived(const std::string& text);
std::vector<DerivedQuantity> parse_derived(const std::vector<std::string>& texts);

}  // namespace hone
