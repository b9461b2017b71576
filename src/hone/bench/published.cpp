#include "hone/bench/published.h"

#include <sstream>

#include "hone/core/error.h"
#include "hone/files/csv_reader.h"

namespace hone {

extern const char* const kPublishedC2st;

namespace {

// method,task,budget,observation,c2st_1d,c2st_2d,seconds,rounds,simulations,c2st_joint
PublishedScore parse_line(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  HONE_ASSERT(cells.size() >= 6);
  cells.resize(10);
  return {.method = cells[0],
          .task = cells[1],
          .budget = static_cast<Index>(cell_number(cells[2]).value()),
          .observation = static_cast<int>(cell_number(cells[3]).value()),
          .c2st_1d = cell_number(cells[4]),
          .c2st_2d = cell_number(cells[5]),
          .seconds = cell_number(cells[6]),
          .c2st_joint = cell_number(cells[9])};
}

std::vector<PublishedScore> parse_all() {
  std::vector<PublishedScore> scores;
  std::istringstream stream(kPublishedC2st);
  bool header = true;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    if (!header) scores.push_back(parse_line(line));
    header = false;
  }
  return scores;
}

}  // namespace

const std::vector<PublishedScore>& published_scores() {
  static const std::vector<PublishedScore> scores = parse_all();
  return scores;
}

std::vector<std::string> published_tasks() {
  return {"two_moons",       "gaussian_mixture",        "sir",  "lotka_volterra",
          "gaussian_linear", "gaussian_linear_uniform", "slcp", "slcp_distractors"};
}

std::vector<std::string> published_methods() {
  return {"TMNRE", "NRE", "SNRE", "NPE", "SNPE", "NLE", "SNLE", "REJ-ABC", "SMC-ABC"};
}

}  // namespace hone
