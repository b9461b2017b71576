// Regions as JSON and as text.

#include <nlohmann/json.hpp>

#include "hone/core/error.h"
#include "hone/prior/region.h"

namespace hone {
namespace {

constexpr const char *kIntervals = "intervals", *kConstrained = "constrained";

nlohmann::json to_json(const UnitPoint& point) {
  return {point.u, point.complement};
}

UnitPoint point_from_json(const nlohmann::json& json, std::size_t d) {
  if (!json.is_array() || json.size() != 2 || !json[0].is_number() || !json[1].is_number()) {
    fail(ErrorKind::input, "region: an edge of axis {} is not a pair [u, 1 - u] of numbers", d);
  }
  return {json[0].get<double>(), json[1].get<double>()};
}

std::vector<Interval> axis_from_json(const nlohmann::json& json, std::size_t d) {
  if (!json.is_array()) fail(ErrorKind::input, "region: axis {} is not a list of intervals", d);
  std::vector<Interval> intervals;
  for (const nlohmann::json& interval : json) {
    if (!interval.is_object() || !interval.contains("low") || !interval.contains("high")) {
      fail(ErrorKind::input, "region: an interval of axis {} has no low and high", d);
    }
    intervals.push_back(
        {point_from_json(interval["low"], d), point_from_json(interval["high"], d)});
  }
  return intervals;
}

std::string header(const Region& region) {
  return fmt::format("region of {} {}, prior mass {:.6g}\n", region.dimensions(),
                     region.dimensions() == 1 ? "parameter" : "parameters", region.mass());
}

std::string constraint_line(const Region& region, std::span<const std::string> names) {
  if (!region.has_constraint()) return "";
  return fmt::format("  where {} (a part of {:.4g} of the above)\n",
                     region.constraint()->describe(names), region.acceptance());
}

// Shows the end that has the digits: 0.25, or 1 - 3e-20.
std::string shown(const UnitPoint& point) {
  if (point.complement > 0 && point.complement < 1e-3) {
    return fmt::format("1 - {:.6g}", point.complement);
  }
  return fmt::format("{:.6g}", point.u);
}

}  // namespace

nlohmann::json to_json(const Region& region) {
  nlohmann::json axes = nlohmann::json::array();
  for (int d = 0; d < region.dimensions(); ++d) {
    nlohmann::json intervals = nlohmann::json::array();
    for (const Interval& interval : region.axis(d)) {
      intervals.push_back({{"low", to_json(interval.low)}, {"high", to_json(interval.high)}});
    }
    axes.push_back(std::move(intervals));
  }
  if (!region.has_constraint()) return {{"kind", kIntervals}, {"axes", std::move(axes)}};
  return {{"kind", kConstrained},
          {"axes", std::move(axes)},
          {"constraint", region.constraint()->to_json()}};
}

Region region_from_json(const nlohmann::json& json) {
  if (!json.is_object() || !json.contains("kind") || !json.contains("axes")) {
    fail(ErrorKind::input, "region: must be a table with kind and axes");
  }
  const bool constrained = json["kind"] == kConstrained;
  if (json["kind"] != kIntervals && !constrained) {
    fail(ErrorKind::input, "region.kind: unknown; this version of hone reads '{}' and '{}'",
         kIntervals, kConstrained);
  }
  if (constrained != json.contains("constraint")) {
    fail(ErrorKind::input, "region.constraint: belongs to the kind '{}', and to no other",
         kConstrained);
  }
  if (!json["axes"].is_array()) fail(ErrorKind::input, "region.axes: must be a list");
  std::vector<std::vector<Interval>> axes;
  for (std::size_t d = 0; d < json["axes"].size(); ++d) {
    axes.push_back(axis_from_json(json["axes"][d], d));
  }
  Region region(std::move(axes));
  if (!constrained) return region;
  return region.constrained(constraint_from_json(json["constraint"], region.dimensions()));
}

std::string to_string(const Region& region) {
  std::string text = header(region);
  for (int d = 0; d < region.dimensions(); ++d) {
    text += fmt::format("  axis {}: mass {:.6g}, u in", d, region.axis_mass(d));
    for (const Interval& interval : region.axis(d)) {
      text += fmt::format(" [{}, {}]", shown(interval.low), shown(interval.high));
    }
    text += '\n';
  }
  std::vector<std::string> names;
  for (int d = 0; d < region.dimensions(); ++d) names.push_back(std::to_string(d));
  return text + constraint_line(region, names);
}

std::string to_string(const Region& region, const Prior& prior) {
  std::string text = header(region);
  for (int d = 0; d < region.dimensions(); ++d) {
    text += fmt::format("  {}: mass {:.6g},", prior.parameter(d).name, region.axis_mass(d));
    for (const Bounds& bounds : theta_bounds(prior, region, d)) {
      text += fmt::format(" [{:.6g}, {:.6g}]", bounds.low, bounds.high);
    }
    text += '\n';
  }
  return text + constraint_line(region, prior.names());
}

}  // namespace hone
