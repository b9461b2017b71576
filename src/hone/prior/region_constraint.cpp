#include "hone/prior/region_constraint.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "hone/core/error.h"
#include "hone/prior/constraint_kinds.h"
#include "hone/prior/half_spaces.h"

namespace hone {
namespace {

constexpr const char* kAllOf = "all_of";

class AllOf : public RegionConstraint {
 public:
  explicit AllOf(std::vector<ConstraintPointer> parts) : parts_(std::move(parts)) {}

  const std::vector<ConstraintPointer>& parts() const { return parts_; }
  int dimensions() const override { return parts_.front()->dimensions(); }

  bool contains(std::span<const double> u) const override {
    return std::ranges::all_of(parts_, [u](const auto& part) { return part->contains(u); });
  }

  nlohmann::json to_json() const override {
    nlohmann::json list = nlohmann::json::array();
    for (const ConstraintPointer& part : parts_) list.push_back(part->to_json());
    return {{"kind", kAllOf}, {"parts", std::move(list)}};
  }

  std::string describe(std::span<const std::string> names) const override {
    std::string text;
    for (const ConstraintPointer& part : parts_) {
      text += (text.empty() ? "" : ", and ") + part->describe(names);
    }
    return text;
  }

 private:
  std::vector<ConstraintPointer> parts_;
};

// Kinds that are not made of others.
using Reader = ConstraintPointer (*)(const nlohmann::json& json, int dimensions);
const std::map<std::string, Reader>& simple_kinds() {
  static const std::map<std::string, Reader> kinds{{HalfSpaces::kKind, half_spaces_from_json}};
  return kinds;
}

ConstraintPointer simple_from_json(const nlohmann::json& json, int dimensions) {
  if (!json.is_object() || !json.contains("kind") || !json["kind"].is_string()) {
    fail(ErrorKind::input, "region.constraint: must be a table with its kind");
  }
  const auto kind = simple_kinds().find(json["kind"].get<std::string>());
  if (kind == simple_kinds().end()) {
    throw UnknownVersion(fmt::format("region.constraint.kind: '{}' is unknown to this version",
                                     json["kind"].get<std::string>()));
  }
  return kind->second(json, dimensions);
}

}  // namespace

std::vector<std::string> constraint_kinds() {
  std::vector<std::string> names{kAllOf};
  for (const auto& [name, reader] : simple_kinds()) names.push_back(name);
  return names;
}

bool equal(const ConstraintPointer& a, const ConstraintPointer& b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a == b || a->to_json() == b->to_json();
}

ConstraintPointer all_of(const std::vector<ConstraintPointer>& parts) {
  // In an order of their own, so that it does not matter who was intersected with whom.
  std::map<std::string, ConstraintPointer> simple;
  for (const ConstraintPointer& part : parts) {
    if (part == nullptr) continue;
    HONE_ASSERT(simple.empty() || simple.begin()->second->dimensions() == part->dimensions());
    if (const auto* several = dynamic_cast<const AllOf*>(part.get())) {
      for (const ConstraintPointer& one : several->parts()) simple[one->to_json().dump()] = one;
    } else {
      simple[part->to_json().dump()] = part;
    }
  }
  if (simple.empty()) return nullptr;
  if (simple.size() == 1) return simple.begin()->second;
  std::vector<ConstraintPointer> sorted;
  sorted.reserve(simple.size());
  for (const auto& [text, part] : simple) sorted.push_back(part);
  return std::make_shared<const AllOf>(std::move(sorted));
}

ConstraintPointer constraint_from_json(const nlohmann::json& json, int dimensions) {
  if (!json.is_object() || json.value("kind", nlohmann::json()) != kAllOf) {
    return simple_from_json(json, dimensions);
  }
  if (!json.contains("parts") || !json["parts"].is_array() || json["parts"].empty()) {
    fail(ErrorKind::input, "region.constraint.parts: must be a list of constraints");
  }
  std::vector<ConstraintPointer> parts;
  for (const nlohmann::json& part : json["parts"]) {
    parts.push_back(simple_from_json(part, dimensions));
  }
  return all_of(parts);
}

}  // namespace hone
