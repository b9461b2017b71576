// What `hone bench cmb` writes.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "hone/bench/cosmology_study.h"
#include "hone/bench/row.h"
#include "hone/core/version.h"
#include "hone/tasks/task.h"

namespace hone {

std::string cosmology_csv(const std::vector<CosmologyRow>& rows) {
  const std::vector<std::string> names = find_task("cmb").prior.names();
  std::vector<std::string> header = {"method", "seed", "calls", "c2st_1d", "c2st_2d"};
  for (const std::string& name : names) header.push_back("offset_" + name);
  for (const std::string& name : names) header.push_back("width_" + name);
  header.push_back("version");
  std::string text = csv_line(header) + "\n";
  const auto number = [](auto value) { return fmt::format("{}", value); };
  for (const CosmologyRow& row : rows) {
    std::vector<std::string> cells = {to_string(row.method), number(row.seed), number(row.calls),
                                      number(row.c2st_1d), number(row.c2st_2d)};
    for (const double value : row.offset) cells.push_back(number(value));
    for (const double value : row.width) cells.push_back(number(value));
    cells.push_back(version());
    text += csv_line(cells) + "\n";
  }
  return text;
}

std::string cosmology_markdown(const std::vector<CosmologyRow>& rows) {
  const std::vector<std::string> names = find_task("cmb").prior.names();
  std::string text = "| method | calls | seed |";
  std::string rule = "|---|--:|--:|";
  for (const std::string& name : names) {
    text += fmt::format(" {} |", name);
    rule += "---|";
  }
  text += " C2ST 1-d | C2ST 2-d |\n" + rule + "--:|--:|\n";
  for (const CosmologyRow& row : rows) {
    text += fmt::format("| {} | {} | {} |", to_string(row.method), row.calls, row.seed);
    for (std::size_t d = 0; d < row.offset.size(); ++d) {
      text += fmt::format(" {:+.2f}, {:.2f} |", row.offset[d], row.width[d]);
    }
    text += fmt::format(" {:.3f} | {:.3f} |\n", row.c2st_1d, row.c2st_2d);
  }
  return text +
         "\nOf each parameter: mean of its posterior minus the exact mean, in exact standard "
         "deviations, and\nits standard deviation over the exact one.\n";
}

}  // namespace hone
