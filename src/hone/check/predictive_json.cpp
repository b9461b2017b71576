// predictive.json back into what it says: the report draws it, so its lists must fit each other.
#include <limits>

#include "hone/check/predictive.h"
#include "hone/core/error.h"

namespace hone {
namespace {

double number(const nlohmann::json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

std::vector<double> numbers(const nlohmann::json& json, std::size_t size) {
  if (!json.is_array() || json.size() != size) {
    fail(ErrorKind::io, "its columns are not lists of {} numbers, one for each value of the data",
         size);
  }
  std::vector<double> values;
  for (const nlohmann::json& one : json) values.push_back(number(one));
  return values;
}

PredictiveStatistic statistic_from_json(const nlohmann::json& json) {
  return {.name = json.at("name"),
          .block = json.at("block"),
          .observed = number(json.at("observed")),
          .low = number(json.at("low")),
          .median = number(json.at("median")),
          .high = number(json.at("high")),
          .p = number(json.at("p"))};
}

// Not there in files of 0.1.
std::optional<CheckResult> joint_check(const nlohmann::json& json) {
  if (!json.contains("joint_check") || json.at("joint_check").is_null()) return std::nullopt;
  return check_result_from_json(nlohmann::ordered_json(json.at("joint_check")));
}

}  // namespace

Predictive predictive_from_json(const nlohmann::json& json, std::size_t data_size) {
  const nlohmann::json& columns = json.at("columns");
  Predictive predictive{
      .from = json.at("from"),
      .source = json.at("source"),
      .joint_check = joint_check(json),
      .simulations = json.at("simulations"),
      .observed = numbers(columns.at("observed"), data_size),
      .low95 = numbers(columns.at("low_95"), data_size),
      .low68 = numbers(columns.at("low_68"), data_size),
      .median = numbers(columns.at("median"), data_size),
      .high68 = numbers(columns.at("high_68"), data_size),
      .high95 = numbers(columns.at("high_95"), data_size),
      .p = numbers(columns.at("p"), data_size),
      .statistics = {},
      .status = json.at("status") == to_string(Status::pass) ? Status::pass : Status::caution,
      .reason = json.at("reason")};
  for (const nlohmann::json& one : json.at("statistics")) {
    predictive.statistics.push_back(statistic_from_json(one));
  }
  return predictive;
}

}  // namespace hone
