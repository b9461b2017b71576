#include "hone/posterior/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/ranges.h>

namespace hone {

ParameterSummary summarize_parameter(const MarginalGrid& grid, const std::string& name) {
  ParameterSummary summary{.name = name,
                           .mean = grid_mean(grid),
                           .deviation = grid_deviation(grid),
                           .median = grid_quantile(grid, 0.5),
                           .interval68 = highest_density_intervals(grid, 0.6827),
                           .interval95 = highest_density_intervals(grid, 0.9545)};
  summary.ensemble_error = ensemble_scatter(grid.member_means, grid.member_weights);
  // In local coordinates, as truncation sees it: cells of different intervals differ in width.
  std::vector<double> ratio = grid.mass;
  for (std::size_t i = 0; i < ratio.size(); ++i) ratio[i] /= grid.axes[0].width[i];
  const double peak = *std::ranges::max_element(ratio);
  const GridAxis& axis = grid.axes[0];
  for (std::size_t i = 0; axis.discrete() && i < axis.cells(); ++i) {
    summary.probabilities.push_back({axis.theta[i], axis.names[i], grid.mass[i]});
  }
  if (axis.discrete()) return summary;  // values are dropped one by one: there is no edge
  summary.edge_low = ratio.front() / peak;
  summary.edge_high = ratio.back() / peak;
  return summary;
}

namespace {

// JSON has no infinity: an end of an unbounded prior is written as null.
nlohmann::ordered_json intervals_to_json(const std::vector<ThetaInterval>& intervals) {
  auto json = nlohmann::ordered_json::array();
  for (const ThetaInterval& one : intervals) json.push_back({one.low, one.high});
  return json;
}

std::vector<ThetaInterval> intervals_from_json(const nlohmann::json& json) {
  std::vector<ThetaInterval> intervals;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto end = [](const nlohmann::json& value, double open) {
    return value.is_null() ? open : value.get<double>();
  };
  for (const auto& one : json) {
    intervals.push_back({end(one.at(0), -kInfinity), end(one.at(1), kInfinity)});
  }
  return intervals;
}

}  // namespace

AdviceText advice_for(const Warning& warning) {
  if (warning.kind == "failed_simulations") return AdviceText(Action::list_failures);
  return {warning.advice};
}

nlohmann::ordered_json to_json(const Summary& summary) {
  return to_json(summary, [](Action action, const std::string&) {
    return command_words(action, "");  // files name no directory
  });
}

nlohmann::ordered_json to_json(const Summary& summary, ActionWords words) {
  nlohmann::ordered_json json;
  json["parameters"] = nlohmann::ordered_json::array();
  for (const ParameterSummary& p : summary.parameters) {
    json["parameters"].push_back({{"name", p.name},
                                  {"mean", p.mean},
                                  {"standard_deviation", p.deviation},
                                  {"median", p.median},
                                  {"ensemble_error", p.ensemble_error},
                                  {"interval_68", intervals_to_json(p.interval68)},
                                  {"interval_95", intervals_to_json(p.interval95)},
                                  {"edge_low", p.edge_low},
                                  {"edge_high", p.edge_high}});
    for (const ValueProbability& one : p.probabilities) {
      json["parameters"].back()["probabilities"].push_back(
          {{"value", one.value}, {"name", one.name}, {"probability", one.probability}});
    }
  }
  json["warnings"] = nlohmann::ordered_json::array();
  for (const Warning& w : summary.warnings) {
    nlohmann::ordered_json one{{"kind", w.kind}, {"message", w.message}};
    one["advice"] = advice_for(w).text(words);
    json["warnings"].push_back(std::move(one));
  }
  json["rounds"] = summary.rounds;
  json["simulations"] = summary.simulations;
  return json;
}

Summary summary_from_json(const nlohmann::json& json) {
  Summary summary;
  for (const auto& p : json.at("parameters")) {
    summary.parameters.push_back({.name = p.at("name"),
                                  .mean = p.at("mean"),
                                  .deviation = p.at("standard_deviation"),
                                  .median = p.at("median"),
                                  .ensemble_error = p.at("ensemble_error"),
                                  .interval68 = intervals_from_json(p.at("interval_68")),
                                  .interval95 = intervals_from_json(p.at("interval_95")),
                                  .edge_low = p.at("edge_low"),
                                  .edge_high = p.at("edge_high")});
    for (const auto& one : p.value("probabilities", nlohmann::json::array())) {
      summary.parameters.back().probabilities.push_back(
          {one.at("value"), one.at("name"), one.at("probability")});
    }
  }
  summary.rounds = json.value("rounds", 0);
  summary.simulations = json.value("simulations", Index{0});
  for (const auto& w : json.at("warnings")) {
    summary.warnings.push_back({w.at("kind"), w.at("message"), w.at("advice")});
  }
  return summary;
}

}  // namespace hone
