#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/check/checks.h"
#include "hone/core/observer.h"
#include "hone/estimate/options.h"

namespace hone {

// Do regions hold the truth as often as they say? One run of a built-in task at its own
// observation, tested with simulations that are made for the test alone.
struct CoverageCase {
  std::string task;
  std::uint64_t seed = 1;
  InferenceOptions options;  // with the budget
  Index draws = 10000;
};

struct CoverageRow {
  std::string task;
  Index budget = 0;
  std::uint64_t seed = 1;
  Index draws = 0;
  double lowest68 = 0, lowest95 = 0;  // of all 1-d marginals
  double mean68 = 0, mean95 = 0;      // over all 1-d marginals
  double pairs68 = 0, pairs95 = 0;    // over all 2-d marginals; NaN if there are none
  Status verdict = Status::pass;
  std::string flagged;  // checks that did not pass, "coverage sbc"
};

// The run stands in `directory` and stays there; what is done of it already is not done again.
CoverageRow run_coverage_case(const CoverageCase& one, const std::filesystem::path& directory,
                              Observer& observer);

std::string coverage_csv(const std::vector<CoverageRow>& rows);
std::string coverage_markdown(const std::vector<CoverageRow>& rows);

}  // namespace hone
