#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hone/report/training_bands.h"
#include "hone/run/run_directory.h"

// What figures and the page show of a run besides its posterior: read once, as plain values. Any
// part of an unfinished run may be missing.

namespace hone {

// The observation beside simulations of the region, column by column.
struct ObservationBands {
  std::vector<Index> columns;      // at most 1,000, evenly spread
  std::vector<std::string> names;  // of these columns; none where the data are not described
  std::string blocks;              // "spectrum 0 to 99, map 100 to 163", or nothing
  std::vector<double> observed;
  std::vector<double> low, median, high;  // 2.5 %, 50 % and 97.5 % of simulations
  Index simulations = 0;                  // that were looked at; 0: none are there, bands are empty
};

struct SimulationCounts {
  Index total = 0, failed = 0;
  std::vector<std::pair<std::string, Index>> reasons;  // of failures, the most frequent first
  std::vector<Index> failed_in_round;                  // by number of the round, from 0
  std::vector<Index> made_in_round;
};

struct ReportData {
  std::vector<Round> rounds;
  std::optional<Region> region;  // the final one
  SimulationCounts simulations;
  Index final_kept = 0;  // successful simulations of earlier rounds in the final region
  std::vector<TrainingBands> training;
  ObservationBands observation;
};

ReportData read_report_data(const RunDirectory& run);

}  // namespace hone
