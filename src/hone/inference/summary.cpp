#include "hone/inference/summary.h"

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
  summary.edge_low = ratio.front() / peak;
  summary.edge_high = ratio.back() / peak;
  return summary;
}

namespace {

// Above this fraction of the peak the posterior visibly runs into the edge: a Gaussian cut there
// has lost 0.2 % of its mass.
constexpr double kEdgeDensity = 0.01;

void warn_about_edges(std::vector<Warning>& warnings, const InferenceResult& result,
                      const std::vector<ParameterSummary>& parameters) {
  const Prior& prior = result.final_marginals.estimator.prior().prior();
  for (const ParameterSummary& p : parameters) {
    const Interval hull = result.region.hull(prior.index_of(p.name));
    const auto warn = [&](const char* side, double density) {
      warnings.push_back({"edge",
                          fmt::format("the posterior of {} touches the {} edge of the region: its "
                                      "density there is {:.2g} of the peak",
                                      p.name, side, density),
                          "use a smaller epsilon or more simulations per round"});
    };
    if (hull.low.u > 0 && p.edge_low > kEdgeDensity) warn("lower", p.edge_low);
    if (hull.high.complement > 0 && p.edge_high > kEdgeDensity) warn("upper", p.edge_high);
  }
}

void warn_about_rounds(std::vector<Warning>& warnings, const InferenceResult& result,
                       const InferenceOptions& options) {
  if (options.method == Method::mnre || result.rounds.empty()) return;
  if (!result.converged) {
    const bool was_cut = result.region != result.rounds.back().region;
    warnings.push_back(
        {"not_converged",
         fmt::format("the {} ran out before the region had settled: the last cut {} {:.2g} of its "
                     "prior mass",
                     result.budget_spent ? "budget" : "rounds", was_cut ? "kept" : "would keep",
                     result.rounds.back().cut.mass_ratio),
         result.budget_spent ? "use a larger budget" : "allow more rounds (max_rounds)"});
  }
  if (result.rounds.size() == 1 && result.rounds[0].cut.mass_ratio > 0.95) {
    warnings.push_back({"no_truncation",
                        fmt::format("the region did not shrink: the first cut kept {:.2g} of the "
                                    "prior mass",
                                    result.rounds[0].cut.mass_ratio),
                        "the data say little about any single parameter, or the networks learnt "
                        "little; more simulations in the first round (round_fraction) would tell"});
  }
}

void warn_about_training(std::vector<Warning>& warnings, const InferenceResult& result) {
  const auto& histories = result.final_marginals.histories;
  const auto diverged = std::ranges::count(histories, StopReason::diverged, &MemberHistory::stop);
  if (diverged > 0) {
    warnings.push_back({"diverged",
                        fmt::format("{} of {} networks diverged; their best weights until then are "
                                    "used",
                                    diverged, histories.size()),
                        "use a smaller learning_rate or clip_norm"});
  }
}

}  // namespace

std::vector<Warning> find_warnings(const InferenceResult& result,
                                   const std::vector<ParameterSummary>& parameters, Index failed,
                                   const InferenceOptions& options) {
  std::vector<Warning> warnings;
  warn_about_rounds(warnings, result, options);
  warn_about_edges(warnings, result, parameters);
  for (const ParameterSummary& p : parameters) {
    if (p.ensemble_error <= 0.3 * p.deviation) continue;
    warnings.push_back({"ensemble",
                        fmt::format("the networks disagree about {}: their means scatter by "
                                    "{:.2g} of its standard deviation",
                                    p.name, p.ensemble_error / p.deviation),
                        "use more simulations or a larger ensemble"});
  }
  constexpr Index kFewRows = 500;
  if (result.final_rows < kFewRows) {
    warnings.push_back(
        {"few_simulations",
         fmt::format("only {} simulations lie in the final region", result.final_rows),
         "use a larger budget"});
  }
  if (failed > 0) {
    warnings.push_back({"failed_simulations",
                        fmt::format("{} simulations failed; the posterior is that of the "
                                    "simulations that succeed",
                                    failed),
                        "`hone show` lists the reasons"});
  }
  warn_about_training(warnings, result);
  return warnings;
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

nlohmann::ordered_json to_json(const Summary& summary) {
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
  }
  json["warnings"] = nlohmann::ordered_json::array();
  for (const Warning& w : summary.warnings) {
    json["warnings"].push_back({{"kind", w.kind}, {"message", w.message}, {"advice", w.advice}});
  }
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
  }
  for (const auto& w : json.at("warnings")) {
    summary.warnings.push_back({w.at("kind"), w.at("message"), w.at("advice")});
  }
  return summary;
}

}  // namespace hone
