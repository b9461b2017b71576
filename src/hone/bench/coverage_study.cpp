#include "hone/bench/coverage_study.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "hone/bench/case_run.h"
#include "hone/bench/row.h"
#include "hone/check/check_run.h"
#include "hone/core/version.h"
#include "hone/run/execute_run.h"
#include "hone/session/open_simulator.h"
#include "hone/tasks/task.h"

namespace hone {
namespace {

Checks checks_of(const CoverageCase& one, const std::filesystem::path& directory,
                 Observer& observer) {
  const Task& task = find_task(one.task);
  RunDirectory run =
      open_case_run(directory, task_run(task, task.observation, one.seed, one.options));
  const auto known = read_checks(run);
  if (known && known->draws_from == "fresh" && known->draws == one.draws) return *known;
  const OpenSimulator open = open_run_simulator(run.spec());
  if (!run.complete()) execute_run(run, {*open.executor, observer});
  const CheckOptions options{.simulations = one.draws,
                             .most_draws = one.draws,
                             .most_bytes = std::numeric_limits<Index>::max()};
  return check_run(run, options, open.executor.get(), observer);
}

}  // namespace

CoverageRow run_coverage_case(const CoverageCase& one, const std::filesystem::path& directory,
                              Observer& observer) {
  const Checks checks = checks_of(one, directory, observer);
  constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
  CoverageRow row{.task = one.task,
                  .budget = one.options.budget,
                  .seed = one.seed,
                  .draws = checks.draws,
                  .lowest68 = 1,
                  .lowest95 = 1,
                  .pairs68 = kNoNumber,
                  .pairs95 = kNoNumber,
                  .verdict = checks.verdict,
                  .flagged = ""};
  double singles = 0, pairs = 0, pairs68 = 0, pairs95 = 0;
  for (const CoverageCurve& curve : checks.coverage) {
    const double at68 = curve.levels[0].empirical, at95 = curve.levels[1].empirical;
    if (curve.dimensions == 1) {
      ++singles;
      row.lowest68 = std::min(row.lowest68, at68);
      row.lowest95 = std::min(row.lowest95, at95);
      row.mean68 += at68;
      row.mean95 += at95;
    } else {
      ++pairs;
      pairs68 += at68;
      pairs95 += at95;
    }
  }
  row.mean68 /= singles;
  row.mean95 /= singles;
  if (pairs > 0) {
    row.pairs68 = pairs68 / pairs;
    row.pairs95 = pairs95 / pairs;
  }
  for (const CheckResult& check : checks.checks) {
    if (check.status == Status::pass) continue;
    row.flagged += (row.flagged.empty() ? "" : " ") + check.name;
  }
  return row;
}

std::string coverage_csv(const std::vector<CoverageRow>& rows) {
  std::string text =
      csv_line({"task", "budget", "seed", "draws", "lowest68_1d", "lowest95_1d", "mean68_1d",
                "mean95_1d", "mean68_2d", "mean95_2d", "verdict", "flagged", "version"}) +
      "\n";
  const auto number = [](auto value) { return fmt::format("{}", value); };
  for (const CoverageRow& row : rows) {
    text += csv_line({row.task, number(row.budget), number(row.seed), number(row.draws),
                      number(row.lowest68), number(row.lowest95), number(row.mean68),
                      number(row.mean95), number(row.pairs68), number(row.pairs95),
                      to_string(row.verdict), row.flagged, version()}) +
            "\n";
  }
  return text;
}

std::string coverage_markdown(const std::vector<CoverageRow>& rows) {
  std::string text =
      "| task | simulations | 1-d, lowest of 68.3 % | of 95.4 % | 1-d, mean of 68.3 % | of 95.4 % "
      "| 2-d, mean of 68.3 % | of 95.4 % | verdict |\n|---|---|---|---|---|---|---|---|---|\n";
  const auto percent = [](double share) {
    return std::isfinite(share) ? fmt::format("{:.1f}", 100 * share) : std::string("-");
  };
  for (const CoverageRow& row : rows) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {}{} |\n", row.task, row.budget,
                        percent(row.lowest68), percent(row.lowest95), percent(row.mean68),
                        percent(row.mean95), percent(row.pairs68), percent(row.pairs95),
                        to_string(row.verdict),
                        row.flagged.empty() ? "" : fmt::format(": {}", row.flagged));
  }
  return text;
}

}  // namespace hone
