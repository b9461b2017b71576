#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hone/run/run_directory.h"

// What the commands print.

namespace hone::cli {

// To standard output and standard error. What others wrote into the text cannot command the
// terminal (core/visible_text.h).
void print(const std::string& text);
void print_error(const std::string& text);

// One line on standard error for each file that could not be used.
void warn_of_refused(const std::vector<std::string>& refused);

// The word as a shell takes it.
std::string shell_word(const std::string& word);

// "0-7,9,12-13": numbers in ascending order, as batch systems write them.
std::string number_ranges(const std::vector<Index>& numbers);

// Columns aligned: the first to the left, the others to the right.
std::string table(const std::vector<std::vector<std::string>>& rows);

std::string parameter_table(const std::vector<ParameterSummary>& parameters);
std::string round_table(const RunDirectory& run);
std::string warning_lines(const std::vector<Warning>& warnings);

// How many simulations failed for each reason.
std::map<std::string, Index> failure_counts(const SimulationStore& store);

// Everything `hone show --json` prints.
nlohmann::ordered_json run_facts(const RunDirectory& run);

}  // namespace hone::cli
