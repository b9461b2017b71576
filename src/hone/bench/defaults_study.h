#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hone/bench/default_problem.h"
#include "hone/check/checks.h"
#include "hone/core/observer.h"
#include "hone/estimate/options.h"

namespace hone {

// What a user gets who sets nothing: a run of one of default_problems(), compared with the exact
// posterior.
struct DefaultsCase {
  std::string problem;
  std::uint64_t seed = 1;
  InferenceOptions options;  // with the budget
  Index samples = 5000;      // of both posteriors, to compare
  bool declared = true;      // what the data are
  bool quick = false;        // 1-d marginals only, and no checks
};

struct DefaultsRow {
  std::string problem = {};
  Index budget = 0;
  std::uint64_t seed = 1;
  // Of the 1-d marginals, the worst one: (mean - exact mean) / exact standard deviation, and the
  // ratio of the standard deviations that is farthest from 1.
  double mean_offset = 0, width_ratio = 1;
  std::string worst_mean = {}, worst_width = {};  // which
  std::string parameters = {};                    // all of them: "x +0.12 x1.03, ..."
  double c2st_1d = 0.5, c2st_2d = 0.5;  // means over marginals; 2-d: NaN if there are none
  Index rows = 0;                       // simulations in the final region
  std::optional<Status> verdict = {};   // none: not checked
  std::string flagged = {};             // checks that did not pass, "coverage sbc"
  double seconds = 0;                   // filled by the caller, who has a clock

  bool right() const;  // means within 0.3 sigma, widths within 15 %
  bool wrong() const;  // a mean off by more than 0.5 sigma, a width by more than 30 %
};

// The run stands in `directory` and stays there; what is done of it already is not done again.
DefaultsRow run_defaults_case(const DefaultsCase& one, const std::filesystem::path& directory,
                              Observer& observer);

std::string defaults_csv(const std::vector<DefaultsRow>& rows);
std::string defaults_markdown(const std::vector<DefaultsRow>& rows);

}  // namespace hone
