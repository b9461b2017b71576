#include "hone/prior/half_spaces.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <nlohmann/json.hpp>

#include "hone/core/error.h"

namespace hone {
namespace {

bool finite(const HalfSpaces::Condition& condition) {
  return std::isfinite(condition.limit) &&
         std::ranges::all_of(condition.coefficients, [](double a) { return std::isfinite(a); });
}

// u(a) + 2 u(b) - u(c) <= 1
std::string in_words(const HalfSpaces::Condition& condition, std::span<const std::string> names) {
  std::string text;
  for (std::size_t d = 0; d < condition.coefficients.size(); ++d) {
    const double a = condition.coefficients[d];
    if (a == 0) continue;
    text += text.empty() ? (a < 0 ? "-" : "") : (a < 0 ? " - " : " + ");
    if (std::abs(a) != 1) text += fmt::format("{:.6g} ", std::abs(a));
    text += fmt::format("u({})", names[d]);
  }
  return fmt::format("{} <= {:.6g}", text.empty() ? "0" : text, condition.limit);
}

HalfSpaces::Condition condition_from_json(const nlohmann::json& json, int dimensions) {
  const auto is_number = [](const nlohmann::json& value) { return value.is_number(); };
  if (!json.is_object() || !json.contains("coefficients") || !json.contains("limit") ||
      !json["coefficients"].is_array() || !json["limit"].is_number() ||
      !std::ranges::all_of(json["coefficients"], is_number)) {
    fail(ErrorKind::input,
         "region.constraint.conditions: each must have a list of numbers, coefficients, and a "
         "number, limit");
  }
  if (std::ssize(json["coefficients"]) != dimensions) {
    fail(ErrorKind::input, "region.constraint: {} coefficients for {} parameters",
         json["coefficients"].size(), dimensions);
  }
  return {json["coefficients"].get<std::vector<double>>(), json["limit"].get<double>()};
}

}  // namespace

HalfSpaces::HalfSpaces(std::vector<Condition> conditions) : conditions_(std::move(conditions)) {
  if (conditions_.empty()) fail(ErrorKind::input, "region.constraint: there is no condition");
  for (const Condition& condition : conditions_) {
    if (condition.coefficients.empty() ||
        condition.coefficients.size() != conditions_.front().coefficients.size()) {
      fail(ErrorKind::input, "region.constraint: conditions must have one number per parameter");
    }
    if (!finite(condition)) {
      fail(ErrorKind::input, "region.constraint: a number of a condition is not finite");
    }
  }
}

int HalfSpaces::dimensions() const {
  return static_cast<int>(conditions_.front().coefficients.size());
}

bool HalfSpaces::contains(std::span<const double> u) const {
  HONE_ASSERT(std::ssize(u) == dimensions());
  return std::ranges::all_of(conditions_, [u](const Condition& condition) {
    return std::inner_product(u.begin(), u.end(), condition.coefficients.begin(), 0.0) <=
           condition.limit;
  });
}

nlohmann::json HalfSpaces::to_json() const {
  nlohmann::json list = nlohmann::json::array();
  for (const Condition& condition : conditions_) {
    list.push_back({{"coefficients", condition.coefficients}, {"limit", condition.limit}});
  }
  return {{"kind", kKind}, {"conditions", std::move(list)}};
}

std::string HalfSpaces::describe(std::span<const std::string> names) const {
  HONE_ASSERT(std::ssize(names) == dimensions());
  std::string text;
  for (const Condition& condition : conditions_) {
    text += (text.empty() ? "" : ", ") + in_words(condition, names);
  }
  return text;
}

ConstraintPointer half_spaces_from_json(const nlohmann::json& json, int dimensions) {
  if (!json.contains("conditions") || !json["conditions"].is_array()) {
    fail(ErrorKind::input, "region.constraint.conditions: must be a list");
  }
  std::vector<HalfSpaces::Condition> conditions;
  for (const nlohmann::json& condition : json["conditions"]) {
    conditions.push_back(condition_from_json(condition, dimensions));
  }
  return std::make_shared<const HalfSpaces>(std::move(conditions));
}

}  // namespace hone
