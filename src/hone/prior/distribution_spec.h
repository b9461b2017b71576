#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace hone {

class Distribution;

// A distribution as the user writes it: a kind and its fields. In JSON and in problem files
// {"kind": "uniform", "low": 0, "high": 1}.
struct DistributionSpec {
  std::string kind;
  std::map<std::string, double> numbers;
  std::map<std::string, std::vector<double>> arrays;
  std::map<std::string, std::vector<std::string>> texts = {};

  double number(const std::string& field) const;                     // must be there
  const std::vector<double>& array(const std::string& field) const;  // must be there
  std::vector<std::string> text(const std::string& field) const;     // empty if it is not there
  bool operator==(const DistributionSpec&) const = default;
};

// Infinite numbers are left out: they are the defaults of the fields that may be infinite.
nlohmann::json to_json(const DistributionSpec& spec);

// Reads the shape only; make_distribution() checks the meaning. `where` begins every message, as in
// "prior.low = "a": must be a number".
DistributionSpec distribution_spec_from_json(const nlohmann::json& json,
                                             std::string_view where = "prior");

// One field of a kind, with its limits.
struct DistributionField {
  std::string_view name;
  std::string_view description;
  std::vector<std::string_view> aliases = {};                // accepted in input, never written
  double above = -std::numeric_limits<double>::infinity();   // greater than this number
  double at_most = std::numeric_limits<double>::infinity();  // no greater than this number
  std::string_view above_field = {};                         // greater than that field
  std::string_view from_field = {};                          // at least that field
  std::string_view to_field = {};                            // at most that field
  std::optional<double> fallback = {};  // when left out; if infinite, infinity may be given
  bool array = false;                   // a list of numbers
  bool text = false;                    // a list of words, which may be left out
};

using DistributionMaker = std::unique_ptr<const Distribution> (*)(const DistributionSpec& spec,
                                                                  std::string_view where);

struct DistributionKind {
  std::string_view name;
  std::string_view description;
  std::vector<DistributionField> fields;
  DistributionMaker make;  // from a resolved spec
};

// Every kind there is. The table drives validation, and the reference page is made from it.
const std::vector<DistributionKind>& distribution_kinds();

// Throws Error{input} for an unknown kind, with the nearest one.
const DistributionKind& find_distribution_kind(std::string_view name,
                                               std::string_view where = "prior");

// The spec with aliases replaced and defaults filled in. Throws Error{input} naming field, value
// and limit: "prior.high = 0: must be greater than low = 1".
DistributionSpec resolve(const DistributionSpec& spec, std::string_view where = "prior");

}  // namespace hone
