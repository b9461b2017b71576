#pragma once

#include <limits>
#include <string>
#include <vector>

#include "hone/bench/case.h"

namespace hone {

// How well a case did.
struct BenchScores {
  Index simulations = 0;  // asked for, failed ones included
  Index failed = 0;
  int rounds = 0;
  double prior_mass = 1;  // of the final region
  double c2st_1d = 0;     // C2ST-ddm: mean over all marginals of so many parameters;
  double c2st_2d = 0;     // NaN if there are none
  double c2st_joint = std::numeric_limits<double>::quiet_NaN();  // NaN: no joint posterior
  double kl = 0;  // KL(reference | estimate) by histograms, summed over 1-d marginals
  bool converged = true;
};

struct StageSeconds {
  double simulate = 0;
  double train = 0;
  double sample = 0;
  double score = 0;
};

// A line of results.csv.
struct BenchRow {
  BenchCase run;
  BenchScores scores;
  StageSeconds seconds;
  int threads = 1;  // of this run, not of the study
  std::string version;
};

// Column names, and cells in their order. Numbers keep every bit.
const std::vector<std::string>& bench_columns();
std::vector<std::string> to_cells(const BenchRow& row);
BenchRow row_from_cells(const std::vector<std::string>& cells);  // Error{input} names the column

// A line of a CSV file without its end; cells are quoted where they must be.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace hone
