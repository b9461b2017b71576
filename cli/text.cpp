#include "cli/text.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "hone/check/checks.h"
#include "hone/check/joint_check.h"
#include "hone/core/visible_text.h"

namespace hone::cli {

void print(const std::string& text) {
  std::fputs(visible_text(text).c_str(), stdout);
}

void print_error(const std::string& text) {
  std::fputs(visible_text(text).c_str(), stderr);
}

void warn_of_refused(const std::vector<std::string>& refused) {
  for (const std::string& reason : refused) {
    print_error(fmt::format("hone: refused: {}\n", reason));
  }
}

std::string shell_word(const std::string& word) {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./=:,@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string number_ranges(const std::vector<Index>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", numbers[i]);
    if (last > i) text += fmt::format("-{}", numbers[last]);
    i = last + 1;
  }
  return text;
}

namespace {

// Columns on a terminal: UTF-8 continuation bytes take none.
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string intervals_text(const std::vector<ThetaInterval>& intervals) {
  std::string text;
  for (const ThetaInterval& one : intervals) {
    const std::string range = one.low == one.high
                                  ? fmt::format("{:.4g}", one.low)
                                  : fmt::format("{:.4g} .. {:.4g}", one.low, one.high);
    text += fmt::format("{}{}", text.empty() ? "" : ", ", range);
  }
  return text;
}

// The most probable values of a discrete parameter first: "  n is 4 (0.551), 5 (0.302), ...".
std::string probabilities_text(const ParameterSummary& parameter) {
  constexpr std::size_t kShown = 8;
  constexpr double kLeast = 0.0005;
  auto values = parameter.probabilities;
  std::ranges::stable_sort(values, std::greater{}, &ValueProbability::probability);
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, values.size()); ++i) {
    if (i > 0 && values[i].probability < kLeast) break;
    text += fmt::format("{}{} ({:.3f})", i == 0 ? "" : ", ", values[i].name, values[i].probability);
  }
  return fmt::format("  {} is {}\n", parameter.name, text);
}

}  // namespace

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t j = 0; j < row.size(); ++j) widths[j] = std::max(widths[j], columns(row[j]));
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      const std::string fill(widths[j] - columns(row[j]), ' ');
      text += (j == 0 ? "  " + row[j] + fill : "  " + fill + row[j]);
    }
    text += '\n';
  }
  return text;
}

std::string parameter_table(const std::vector<ParameterSummary>& parameters) {
  std::vector<std::vector<std::string>> rows{
      {"parameter", "mean", "st. dev.", "68 % interval", "95 % interval"}};
  std::string values;
  for (const ParameterSummary& p : parameters) {
    rows.push_back({p.name, fmt::format("{:.5g}", p.mean), fmt::format("{:.2g}", p.deviation),
                    intervals_text(p.interval68), intervals_text(p.interval95)});
    if (!p.probabilities.empty()) values += probabilities_text(p);
  }
  return table(rows) + values;
}

std::string round_table(const RunDirectory& run) {
  std::vector<std::vector<std::string>> rows{
      {"round", "prior mass", "kept", "new", "a cut keeps", "estimated lost mass"}};
  for (const Round& r : run.rounds()) {
    const double lost = *std::ranges::max_element(r.cut.lost_mass);
    rows.push_back({std::to_string(r.number), fmt::format("{:.4g}", r.region.mass()),
                    std::to_string(r.kept), std::to_string(r.simulated),
                    fmt::format("{:.3g}", r.cut.mass_ratio), fmt::format("{:.1g}", lost)});
  }
  if (const auto region = run.final_region()) {
    rows.push_back({"final", fmt::format("{:.4g}", region->mass())});
  }
  return rows.size() > 1 ? table(rows) : "";
}

std::string warning_lines(const std::vector<Warning>& warnings) {
  std::string text;
  for (const Warning& w : warnings) {
    text += fmt::format("warning: {}\n         {}\n", w.message, w.advice);
  }
  return text;
}

namespace {

nlohmann::ordered_json region_facts(const Prior& prior, const Region& region) {
  auto axes = nlohmann::ordered_json::array();
  for (int d = 0; d < prior.dimensions(); ++d) {
    const Bounds hull = theta_hull(prior, region, d);
    auto intervals = nlohmann::ordered_json::array();
    for (const Bounds& b : theta_bounds(prior, region, d)) intervals.push_back({b.low, b.high});
    axes.push_back({{"name", prior.parameter(d).name},
                    {"low", hull.low},
                    {"high", hull.high},
                    {"intervals", intervals},
                    {"prior_mass", region.axis_mass(d)}});
  }
  return axes;
}

// A run has one more of them each time it gets a larger budget.
nlohmann::ordered_json state_facts(const RunDirectory& state) {
  nlohmann::ordered_json json{{"budget", state.spec().options.budget},
                              {"finished", state.finished()}};
  if (const auto region = state.final_region()) json["prior_mass"] = region->mass();
  const std::optional<Checks> checks = read_checks(state);
  json["verdict"] = checks ? nlohmann::ordered_json(to_string(checks->verdict)) : nullptr;
  return json;
}

}  // namespace

std::map<std::string, Index> failure_counts(const SimulationStore& store) {
  std::map<std::string, Index> counts;
  for (const auto& [id, reason] : store.failure_reasons()) ++counts[reason];
  return counts;
}

nlohmann::ordered_json run_facts(const RunDirectory& run) {
  const RunSpec& spec = run.spec();
  const auto store = run.store();
  nlohmann::ordered_json json{{"name", spec.name},
                              {"simulator", to_json(spec.simulator)},
                              {"directory", run.path().string()},
                              {"seed", spec.seed},
                              {"noise", to_json(spec.noise)},
                              {"budget", spec.options.budget},
                              {"finished", run.finished()},
                              {"verified", run.verified()},
                              {"simulations_total", store ? store->rows() : 0},
                              {"simulations_failed", store ? store->failed_rows() : 0}};
  json["states"] = nlohmann::ordered_json::array();
  for (std::size_t number = 0; number <= run.extensions().size(); ++number) {
    json["states"].push_back(state_facts(run.state(number)));
  }
  json["failure_reasons"] = store ? failure_counts(*store) : std::map<std::string, Index>{};
  json["rounds"] = nlohmann::ordered_json::array();
  for (const Round& r : run.rounds()) {
    json["rounds"].push_back({{"number", r.number},
                              {"prior_mass", r.region.mass()},
                              {"bounds", region_facts(spec.prior, r.region)},
                              {"kept", r.kept},
                              {"simulated", r.simulated},
                              {"prior_mass_after", r.cut.region.mass()},
                              {"mass_ratio", r.cut.mass_ratio},
                              {"axis_ratio", r.cut.axis_ratio},
                              {"lost_mass", r.cut.lost_mass}});
  }
  if (const auto region = run.final_region()) {
    json["region"] = {{"prior_mass", region->mass()},
                      {"bounds", region_facts(spec.prior, *region)}};
    if (region->has_constraint()) {
      json["region"]["constraint"] = region->constraint()->describe(spec.prior.names());
    }
  }
  const auto facts = to_json(run.summary().value_or(Summary{}));
  json["parameters"] = facts.at("parameters");
  json["warnings"] = facts.at("warnings");
  json["corrected"] = run.correction().has_value();
  const std::optional<Checks> checks = read_checks(run);
  json["verdict"] = checks ? nlohmann::ordered_json(to_string(checks->verdict)) : nullptr;
  if (checks) json["checks"] = to_json(*checks).at("checks");
  if (!run.complete()) return json;
  if (const auto joint = read_joint_check(run)) json["joint_check"] = to_json(*joint);
  return json;
}

}  // namespace hone::cli
