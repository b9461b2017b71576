#include <algorithm>
#include <cmath>
#include <fstream>

#include <signal.h>

#include "hone/check/checks.h"
#include "hone/check/joint_check.h"
#include "hone/check/predict_run.h"
#include "hone/core/version.h"
#include "hone/files/json_text.h"
#include "hone/inference/option_table.h"
#include "hone/report/corner_json.h"
#include "hone/report/report.h"
#include "hone/report/reproduce.h"
#include "hone/report/run_data.h"
#include "hone/report/run_scales.h"
#include "hone/run/run_files.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

// Ends of the prior may be infinite, which JSON has no word for.
Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

// "uniform, low 0, high 1"
std::string prior_text(const nlohmann::json& prior) {
  std::string text = prior.at("kind");
  for (const auto& [key, value] : prior.items()) {
    if (key != "kind") text += ", " + key + " " + value.dump();
  }
  return text;
}

Json parameters_json(const Prior& prior, const TruthValues& truth) {
  const nlohmann::json priors = to_json(prior);
  Json list = Json::array();
  for (std::size_t d = 0; d < prior.parameters().size(); ++d) {
    const Parameter& p = prior.parameters()[d];
    const auto known = truth.find(p.name);
    const Axis axis = unit_axis(prior, static_cast<int>(d));
    list.push_back({{"name", p.name},
                    {"label", to_json(parameter_label(p.name, p.label))},
                    {"axis_label", to_json(axis.styled_label)},
                    {"axis_ticks", axis.named_ticks},
                    {"low", finite_or_null(p.distribution->lower())},
                    {"high", finite_or_null(p.distribution->upper())},
                    {"truth", known == truth.end() ? Json(nullptr) : Json(known->second)},
                    {"prior", prior_text(priors[d].at("prior"))}});
  }
  for (const DerivedQuantity& one : prior.derived()) {
    const auto known = truth.find(one.name);
    list.push_back({{"name", one.name},
                    {"label", to_json(parameter_label(one.name, one.label))},
                    {"low", nullptr},
                    {"high", nullptr},
                    {"truth", known == truth.end() ? Json(nullptr) : Json(known->second)},
                    {"prior", "derived, " + one.value},
                    {"derived", true}});
  }
  return list;
}

// Intervals in u of every axis.
Json axes_json(const Region& region) {
  Json axes = Json::array();
  for (int d = 0; d < region.dimensions(); ++d) {
    Json parts = Json::array();
    for (const Interval& part : region.axis(d)) {
      parts.push_back({part.low.u, 1 - part.high.complement});
    }
    axes.push_back(parts);
  }
  return axes;
}

Index at_or_zero(const std::vector<Index>& counts, std::size_t i) {
  return i < counts.size() ? counts[i] : 0;
}

Json rounds_json(const ReportData& data) {
  Json rounds = Json::array();
  for (const Round& r : data.rounds) {
    Json json{{"number", r.number},
              {"prior_mass", r.region.mass()},
              {"axes", axes_json(r.region)},
              {"kept", r.kept},
              {"simulated", r.simulated},
              {"failed", at_or_zero(data.simulations.failed_in_round, std::size_t(r.number))},
              {"mass_ratio", r.cut.mass_ratio},
              {"lost_mass", *std::ranges::max_element(r.cut.lost_mass)}};
    if (!r.cut.curves.empty()) {
      json["curves"] = Json::array();
      for (const RatioCurve& curve : r.cut.curves) {
        json["curves"].push_back({{"u", curve.u}, {"log_ratio", curve.log_ratio}});
      }
    }
    rounds.push_back(std::move(json));
  }
  return rounds;
}

Json region_json(const ReportData& data) {
  if (!data.region) return nullptr;
  const std::size_t last = data.rounds.size() + 1;
  return {{"prior_mass", data.region->mass()},
          {"axes", axes_json(*data.region)},
          {"kept", data.final_kept},
          {"simulated", at_or_zero(data.simulations.made_in_round, last)},
          {"failed", at_or_zero(data.simulations.failed_in_round, last)}};
}

Json simulations_json(const SimulationCounts& counts, Index budget) {
  Json reasons = Json::array();
  constexpr std::size_t kShown = 12;
  for (std::size_t i = 0; i < std::min(kShown, counts.reasons.size()); ++i) {
    reasons.push_back({{"reason", counts.reasons[i].first}, {"count", counts.reasons[i].second}});
  }
  return {
      {"total", counts.total}, {"budget", budget}, {"failed", counts.failed}, {"reasons", reasons}};
}

Json training_json(const std::vector<TrainingBands>& training) {
  Json list = Json::array();
  const auto band = [](const LossBand& b) {
    return Json{{"low", b.low}, {"median", b.median}, {"high", b.high}};
  };
  for (const TrainingBands& t : training) {
    list.push_back({{"title", t.title},
                    {"networks", t.networks},
                    {"converged", t.converged},
                    {"unfinished", t.unfinished},
                    {"diverged", t.diverged},
                    {"training", band(t.training)},
                    {"validation", band(t.validation)}});
  }
  return list;
}

// What page/report.js divides columns by; null: one scale shows them all.
Json scales_json(const std::vector<ColumnScale>& scales) {
  if (scales.empty()) return nullptr;
  Json list = Json::array();
  for (const ColumnScale& one : scales) list.push_back({one.middle, one.half});
  return list;
}

Json observation_json(const ObservationBands& bands, const NoiseSpec& noise) {
  Json json{{"column", bands.columns}, {"value", bands.observed}};
  if (!bands.names.empty()) json["name"] = bands.names;
  if (!bands.blocks.empty()) json["blocks"] = bands.blocks;
  if (bands.simulations == 0) return json;
  json["simulated"] = {{"low", bands.low}, {"median", bands.median}, {"high", bands.high}};
  json["scales"] = scales_json(column_scales(bands.low, bands.median, bands.high));
  json["note"] = fmt::format(
      "Blue: the observation. Grey line and band: median and 95 % of {} simulations from the region"
      "{}.",
      bands.simulations,
      noise.kind == NoiseKind::none ? "" : ", without the noise that training adds");
  const auto gaps = std::ranges::count_if(bands.observed, [](double v) { return std::isnan(v); });
  if (gaps > 0) {
    json["note"] = json["note"].get<std::string>() +
                   fmt::format(" {} of {} values of the observation are missing.", gaps,
                               bands.observed.size());
  }
  return json;
}

Json predictive_json(const std::optional<Predictive>& predictive) {
  if (!predictive) return nullptr;
  Json json = to_json(*predictive);
  json["scales"] =
      scales_json(column_scales(predictive->low95, predictive->median, predictive->high95));
  return json;
}

// With indices of the run's parameters instead of those of the plot, which has only those with a
// posterior.
Json corner_of(const RunDirectory& run, const TruthValues& truth) {
  const CornerPlot plot = run_corner({run}, truth);
  Json json = corner_json(plot);
  std::vector<int> shown;
  const auto names = run.spec().prior.quantity_names();
  for (const CornerParameter& p : plot.parameters) {
    shown.push_back(static_cast<int>(std::ranges::find(names, p.name) - names.begin()));
  }
  Json ranges = Json::array();
  for (std::size_t d = 0; d < names.size(); ++d) ranges.push_back(nullptr);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    ranges[static_cast<std::size_t>(shown[i])] = json["ranges"][i];
  }
  const auto rename = [&](Json& index) { index = shown[index.get<std::size_t>()]; };
  for (Json& one : json["ones"]) rename(one["parameter"]);
  for (Json& pair : json["pairs"]) {
    rename(pair["x"]);
    rename(pair["y"]);
  }
  json["ranges"] = ranges;
  json["shown"] = shown;
  json["caption"] =
      "Regions of highest density with 68, 95 and 99.7 % of the posterior. Dashed lines are edges"
      " of the prior, solid lines true values, where they are known. Point at a panel to read"
      " values; click on it to enlarge it.";
  return json;
}

// What a process at work on the run says of itself (docs/run-directory.md); null if there is none.
Json progress_of(const RunDirectory& run) {
  std::error_code code;
  if (!fs::is_regular_file(run.lock_file(), code)) return nullptr;  // a pipe would hold us up
  std::ifstream lock(run.lock_file());
  pid_t process = 0;
  if (!(lock >> process) || process <= 0 || (::kill(process, 0) != 0 && errno == ESRCH)) {
    return nullptr;
  }
  const fs::path file = run.progress_file();
  if (!fs::is_regular_file(file, code)) return nullptr;
  Json progress = try_parse_json<Json>(read_file(file)).value_or(nullptr);
  for (const char* key : {"context", "stage"}) {
    if (!progress.is_object() || !progress.contains(key) || !progress[key].is_string()) {
      return nullptr;
    }
  }
  for (const char* key : {"done", "total"}) {
    if (!progress.contains(key) || !progress[key].is_number()) return nullptr;
  }
  return progress;
}

}  // namespace

Json report_state(const RunDirectory& run, const ReportOptions& options) {
  const RunSpec& spec = run.spec();
  const bool finished = run.finished();
  const ReportData data = read_report_data(run);
  const Json summary = to_json(run.summary().value_or(Summary{}));
  const Json progress = finished ? Json(nullptr) : progress_of(run);
  const std::optional<Checks> checks = read_checks(run);
  const auto joint = run.complete() ? read_joint_check(run) : std::nullopt;
  Json json{{"name", spec.name},
            {"name_of_directory", run.label()},
            {"subtitle", fmt::format("hone {}, {}, seed {}", version(),
                                     find_method(spec.options.method).title, spec.seed)},
            {"state", finished ? "finished" : (progress.is_null() ? "stopped" : "running")},
            {"live", options.live},
            {"progress", progress},
            {"parameters", parameters_json(spec.prior, options.truth)},
            {"has_truth", !options.truth.empty()},
            {"simulations", simulations_json(data.simulations, spec.options.budget)},
            {"rounds", rounds_json(data)},
            {"region", region_json(data)},
            {"summary", summary.at("parameters")},
            {"warnings", summary.at("warnings")},
            {"corner", finished ? corner_of(run, options.truth) : Json(nullptr)},
            {"checks", checks ? to_json(*checks) : Json(nullptr)},
            {"joint_check", joint ? to_json(*joint) : Json(nullptr)},
            {"predictive", predictive_json(read_predictive(run))},
            {"training", training_json(data.training)},
            {"observation", observation_json(data.observation, spec.noise)},
            {"settings", to_json(spec.options)},
            {"reproduce", reproduce_text(run)},
            {"run_json", to_json(spec).dump(2)}};
  const std::size_t hash =
      std::hash<std::string>{}(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  json["revision"] = fmt::format("{:016x}", hash);
  return json;
}

}  // namespace hone
