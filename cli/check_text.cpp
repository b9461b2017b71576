#include "cli/check_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cli/text.h"

namespace hone::cli {
namespace {

std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f}", 100 * share) : "-";
}

std::vector<std::string> coverage_row(const CoverageCurve& curve) {
  std::vector<std::string> row{curve.marginal};
  for (const CoverageLevel& level : curve.levels) {
    row.push_back(fmt::format("{} ({} .. {})", percent(level.empirical), percent(level.low),
                              percent(level.high)));
  }
  row.push_back(fmt::format("{:+.0f} %", 100 * curve.width_error));
  row.push_back(curve.status == Status::pass ? "" : to_string(curve.status));
  return row;
}

}  // namespace

std::string coverage_table(const Checks& checks) {
  if (checks.coverage.empty()) return "";
  std::vector<std::vector<std::string>> rows{
      {"coverage, %", "of 68.3", "of 95.4", "of 99.7", "too narrow by", ""}};
  // Hundreds of pairs do not fit on a screen: those that are worst stand for them.
  constexpr std::size_t kPairs = 5;
  std::vector<const CoverageCurve*> others;
  for (const CoverageCurve& curve : checks.coverage) {
    if (curve.dimensions == 1) {
      rows.push_back(coverage_row(curve));
    } else {
      others.push_back(&curve);
    }
  }
  std::ranges::stable_sort(others, {}, [](const CoverageCurve* c) { return c->probability; });
  for (std::size_t i = 0; i < std::min(kPairs, others.size()); ++i) {
    rows.push_back(coverage_row(*others[i]));
  }
  for (const CoverageCurve& curve : checks.mean_coverage) rows.push_back(coverage_row(curve));
  std::string text = table(rows);
  if (others.size() > kPairs) {
    text += fmt::format(
        "  ({} more marginals of several parameters have a better coverage; --json prints all)\n",
        others.size() - kPairs);
  }
  return text;
}

std::string check_lines(const Checks& checks, bool all) {
  std::string text = fmt::format("verdict: {}: {}\n", to_string(checks.verdict), checks.summary);
  for (const CheckResult& check : checks.checks) {
    if (check.status == Status::pass && !all) continue;
    text += fmt::format("  {:<8}{}: {}\n", to_string(check.status), check.name, check.reason);
    if (!check.advice.empty()) text += fmt::format("          {}\n", check.advice.text());
  }
  return text;
}

std::string joint_line(const std::string& source, const CheckResult& check) {
  return fmt::format("hone: the joint posterior ({}): {}: {}\n", source, to_string(check.status),
                     check.reason);
}

std::string correction_lines(const Checks& checks) {
  std::string text;
  for (const CorrectionEntry& one : checks.correction) {
    text += fmt::format(
        "corrected: {} is widened (density to the power {:.2f}); coverage {} -> {} % of 68.3, {} "
        "-> {} % of 95.4\n",
        one.marginal, one.power, percent(one.coverage68), percent(one.corrected68),
        percent(one.coverage95), percent(one.corrected95));
  }
  return text;
}

}  // namespace hone::cli
