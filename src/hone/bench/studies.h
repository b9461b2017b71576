#pragma once

#include <set>
#include <string>
#include <vector>

#include "hone/bench/row.h"
#include "hone/inference/option_table.h"

namespace hone {

// What the studies of the paper beside sbibm have in common. Options that the study itself sets are
// added to these.
struct StudySettings {
  std::vector<std::uint64_t> seeds = {1};
  std::string preset = "default";
  Index samples = 10000;                               // per marginal, to be scored
  InferenceOptions options = hone::preset("default");  // the preset with the user's changes
  std::vector<std::string> methods = {};               // those of the study; else these
  std::set<std::string> given = {};                    // names of the user's changes
};

// The torus, step by step: TMNRE in the region that m rounds have found, m = 1, 2, ..., against
// MNRE in the whole prior with the same number of simulations. budgets[m] are the simulations of
// step m, all rounds before it included; the first round has budgets[0], the next ones 1.5 times
// those of the round before. At step 0 both methods are one. Other methods have each of the
// budgets.
std::vector<BenchCase> torus_cases(const StudySettings& settings,
                                   const std::vector<Index>& budgets);
inline const std::vector<Index> kPaperTorusBudgets = {4985, 11322, 21127, 32032};

// The torus by epsilon: every round adds `increment` simulations to the kept ones until the region
// stops shrinking, and nothing is simulated after that. `limit`: simulations at most.
std::vector<BenchCase> epsilon_cases(const StudySettings& settings,
                                     const std::vector<double>& epsilons, Index increment,
                                     Index limit);

// MNRE, as in the paper, and TMNRE on the eggbox or the rotated one; or the methods that are set.
std::vector<BenchCase> eggbox_cases(const StudySettings& settings, const std::string& task,
                                    Index budget);

// One line per setting, means over seeds with standard errors, in the order of the cases. With
// `per_simulation` also C2ST / simulations, which the paper's scan of epsilon minimises.
std::string study_markdown(const std::vector<BenchCase>& cases, const std::vector<BenchRow>& rows,
                           bool per_simulation);

}  // namespace hone
