#pragma once

#include <string>
#include <vector>

#include "hone/posterior/marginal_grid.h"

namespace hone::cli {

// A 1-d posterior in so many characters, between the values where it can be seen:
// "0.56 ▁▃▆█▇▅▂▁ 0.62". Heights are the means of the density over each character's width, the
// highest one fills it.
std::string sketch(const MarginalGrid& grid, int columns);

// Lines of a table, a header and then one line for each of these posteriors, with their sketches on
// the right.
std::string with_sketches(const std::string& table, const std::vector<MarginalGrid>& grids);

}  // namespace hone::cli
