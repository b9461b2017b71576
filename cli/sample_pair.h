#pragma once

#include <string>
#include <vector>

#include "hone/core/rng.h"
#include "hone/metrics/c2st.h"

namespace hone::cli {

// Two sample files side by side: the same columns in the same order, the same number of draws.
struct MatchedSamples {
  std::vector<std::string> names;  // of the columns, those of the first file if it has any
  Index draws_a = 0, draws_b = 0;  // in the files
  SamplePair used;                 // `draws` of each at most, in random order
};

// Columns are matched by name where both files have names, else by their order. Throws Error{input}
// with file, row and column for columns that differ, too few draws, values that are not finite and
// columns of the first file that are constant.
MatchedSamples match_samples(const std::string& file_a, const std::string& file_b, bool by_position,
                             Index draws, const Rng& rng);

}  // namespace hone::cli
