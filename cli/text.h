#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hone/inference/run.h"

// What the commands print.

namespace hone::cli {

void print(const std::string& text);  // to standard output

// Columns aligned: the first to the left, the others to the right.
std::string table(const std::vector<std::vector<std::string>>& rows);

std::string parameter_table(const std::vector<ParameterSummary>& parameters);
std::string round_table(const Run& run);
std::string warning_lines(const std::vector<Warning>& warnings);

// How many simulations failed for each reason.
std::map<std::string, Index> failure_counts(const SimulationStore& store);

// Everything `hone show --json` prints.
nlohmann::ordered_json run_facts(const Run& run);

}  // namespace hone::cli
