#include "hone/bench/studies.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "hone/bench/comparison.h"
#include "hone/core/error.h"

namespace hone {
namespace {

// The same setting for every seed.
void add_cases(std::vector<BenchCase>& cases, const StudySettings& settings, BenchCase setting,
               const InferenceOptions& options) {
  setting.preset = settings.preset;
  setting.samples = settings.samples;
  setting.options = option_changes(options, settings.preset, settings.given);
  for (const std::uint64_t seed : settings.seeds) {
    setting.seed = seed;
    cases.push_back(setting);
  }
}

}  // namespace

std::vector<BenchCase> torus_cases(const StudySettings& settings,
                                   const std::vector<Index>& budgets) {
  if (budgets.empty() || !std::ranges::is_sorted(budgets, std::less_equal{})) {
    fail(ErrorKind::input, "budgets: must be one or more ascending numbers of simulations");
  }
  std::vector<BenchCase> cases;
  const auto wanted = [&](const char* method) {
    return settings.methods.empty() || std::ranges::count(settings.methods, method) > 0;
  };
  for (std::size_t m = 0; m < budgets.size(); ++m) {
    BenchCase setting{.task = "torus", .budget = budgets[m], .method = "mnre"};
    if (wanted("mnre")) add_cases(cases, settings, setting, settings.options);
    for (const std::string& method : settings.methods) {
      if (method == "mnre" || method == "tmnre") continue;
      setting.method = method;
      add_cases(cases, settings, setting, settings.options);
    }
    if (m == 0 || !wanted("tmnre")) continue;
    InferenceOptions options = settings.options;
    options.max_rounds = static_cast<int>(m);
    options.round_schedule = RoundSchedule::growth;
    options.round_fraction = static_cast<double>(budgets[0]) / static_cast<double>(budgets[m]);
    setting.method = "tmnre";
    add_cases(cases, settings, setting, options);
  }
  return cases;
}

std::vector<BenchCase> epsilon_cases(const StudySettings& settings,
                                     const std::vector<double>& epsilons, Index increment,
                                     Index limit) {
  std::vector<BenchCase> cases;
  for (const double epsilon : epsilons) {
    InferenceOptions options = settings.options;
    options.truncation.epsilon = epsilon;
    options.round_schedule = RoundSchedule::increment;
    options.round_increment = increment;
    options.spend_all = false;
    add_cases(cases, settings, {.task = "torus", .budget = limit}, options);
  }
  return cases;
}

std::vector<BenchCase> eggbox_cases(const StudySettings& settings, const std::string& task,
                                    Index budget) {
  std::vector<BenchCase> cases;
  const std::vector<std::string> usual = {"mnre", "tmnre"};
  for (const std::string& method : settings.methods.empty() ? usual : settings.methods) {
    add_cases(cases, settings, {.task = task, .budget = budget, .method = method},
              settings.options);
  }
  return cases;
}

namespace {

std::string text_of(const MeanScore& score, int digits) {
  const auto rounded = [digits](double value) { return fmt::format("{:.{}f}", value, digits); };
  if (std::isnan(score.standard_error)) return rounded(score.mean);
  return rounded(score.mean) + " ± " + rounded(score.standard_error);
}

std::string line_of(const BenchCase& setting, const std::vector<const BenchRow*>& rows,
                    bool per_simulation) {
  const auto mean = [&](const std::function<double(const BenchRow&)>& value) {
    std::vector<double> values;
    values.reserve(rows.size());
    for (const BenchRow* row : rows) values.push_back(value(*row));
    return mean_score(values);
  };
  const auto score = [&](auto field, int digits) {
    return text_of(mean([&](const BenchRow& r) { return static_cast<double>(r.scores.*field); }),
                   digits);
  };
  const double mass = mean([](const BenchRow& r) { return r.scores.prior_mass; }).mean;
  const double seconds = mean([](const BenchRow& r) {
                           return r.seconds.simulate + r.seconds.train + r.seconds.sample;
                         }).mean;
  std::string line = fmt::format(
      "| {} | {} | {} | {:.0f} | {:.1f} | {:.4g} | {} | {} | {} | {} | {:.1f} | {} |", setting.task,
      setting.method, setting.options,
      mean([](const BenchRow& r) { return static_cast<double>(r.scores.simulations); }).mean,
      mean([](const BenchRow& r) { return static_cast<double>(r.scores.rounds); }).mean, mass,
      score(&BenchScores::c2st_1d, 3), score(&BenchScores::c2st_2d, 3),
      std::isnan(rows.front()->scores.c2st_joint) ? "" : score(&BenchScores::c2st_joint, 3),
      score(&BenchScores::kl, 4), seconds, rows.size());
  if (per_simulation) {
    for (const MarginalKind kind : kMarginalKinds) {
      const MeanScore ratio = mean([&](const BenchRow& r) {
        return 1e6 * c2st_of(r.scores, kind) / static_cast<double>(r.scores.simulations);
      });
      line += fmt::format(" {} |", text_of(ratio, 2));
    }
  }
  return line + "\n";
}

}  // namespace

std::string study_markdown(const std::vector<BenchCase>& cases, const std::vector<BenchRow>& rows,
                           bool per_simulation) {
  std::string text =
      "| task | method | options | simulations | rounds | prior mass | C2ST 1-d | C2ST 2-d | C2ST "
      "joint | KL | seconds | runs |";
  std::string rule = "|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|";
  if (per_simulation) {
    text += " C2ST 1-d / 10^6 simulations | C2ST 2-d / 10^6 simulations |";
    rule += "--:|--:|";
  }
  text += "\n" + rule + "\n";
  std::vector<BenchCase> done;
  for (BenchCase setting : cases) {
    std::vector<const BenchRow*> group;
    for (const BenchRow& row : rows) {
      BenchCase other = row.run;
      other.seed = setting.seed;
      const bool wanted = std::ranges::find(cases, row.run) != cases.end();
      if (wanted && other == setting) group.push_back(&row);
    }
    setting.seed = 0;
    if (group.empty() || std::ranges::find(done, setting) != done.end()) continue;
    done.push_back(setting);
    text += line_of(setting, group, per_simulation);
  }
  return text;
}

}  // namespace hone
