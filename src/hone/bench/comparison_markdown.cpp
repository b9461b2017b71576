#include <cmath>

#include <fmt/format.h>

#include "hone/bench/comparison.h"

namespace hone {
namespace {

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.3f}", *value) : "";
}

std::string with_error(const MeanScore& score) {
  if (std::isnan(score.standard_error)) return fmt::format("{:.3f}", score.mean);
  return fmt::format("{:.3f} ± {:.3f}", score.mean, score.standard_error);
}

std::string verdict(const Comparison& comparison) {
  if (!comparison.mark) return "";
  return comparison.wins() ? "below" : "**above**";
}

std::string best(const Comparison& comparison) {
  if (!comparison.best_other) return "";
  return fmt::format("{:.3f} ({})", *comparison.best_other, comparison.best_method);
}

std::string grouped(Index value) {
  std::string text = std::to_string(value);
  for (std::ptrdiff_t at = std::ssize(text) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

std::string line_of(const ComparisonCell& cell, const Comparison& c, const char* kind) {
  if (std::isnan(c.hone.mean)) return "";
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1f} | {} | {} |\n",
                     cell.task, grouped(cell.budget), kind, with_error(c.hone), number(c.same),
                     number(c.tmnre), verdict(c), best(c), number(c.median_other), cell.seconds,
                     cell.tmnre_seconds ? fmt::format("{:.0f}", *cell.tmnre_seconds) : "",
                     cell.not_converged == 0
                         ? fmt::format("{}", cell.runs)
                         : fmt::format("{} ({} not converged)", cell.runs, cell.not_converged));
}

std::string cell_lines(const ComparisonCell& cell) {
  return line_of(cell, cell.by_kind[0], "1-d") + line_of(cell, cell.by_kind[1], "2-d") +
         line_of(cell, cell.joint, "joint");
}

// "below the mark in 30 of 32"
std::string tally(const std::vector<ComparisonCell>& cells) {
  int marks = 0, wins = 0, not_converged = 0, runs = 0;
  for (const ComparisonCell& cell : cells) {
    for (const Comparison& one : cell.by_kind) {
      marks += one.mark.has_value();
      wins += one.wins();
    }
    runs += cell.runs;
    not_converged += cell.not_converged;
  }
  return fmt::format("Below the mark in {} of {} cells; {} runs, {} not converged.", wins, marks,
                     runs, not_converged);
}

}  // namespace

std::string comparison_markdown(const std::vector<BenchRow>& rows,
                                const std::vector<PublishedScore>& published) {
  std::string text;
  for (const BenchVariant& variant : variants_of(rows)) {
    const std::vector<ComparisonCell> cells = compare(rows, variant, published);
    text += fmt::format("{}## {}\n\n{}\n\n", text.empty() ? "" : "\n", to_string(variant),
                        tally(cells));
    text +=
        "| task | simulations | marginals | hone | same method, published | TMNRE (paper) | mark | "
        "best other | median of others | seconds | paper's GPU seconds | runs |\n"
        "|---|--:|---|--:|--:|--:|---|--:|--:|--:|--:|--:|\n";
    for (const ComparisonCell& cell : cells) text += cell_lines(cell);
  }
  return text;
}

}  // namespace hone
