#pragma once

#include <vector>

#include "hone/check/checks.h"
#include "hone/check/draws.h"

namespace hone {

// Powers that are tried, from 1 downwards: 3 % of the width from one to the next.
std::vector<double> widening_powers();

// How much each posterior must be widened so that its regions hold the truth as often as they say:
// the largest power (hone/posterior/correction.h) for which the true values' mean square z-score is
// no more than that of a right posterior, and 1 where chance explains the shortfall. Never
// narrower.
struct Widening {
  Correction correction;
  std::vector<CorrectionEntry> entries;  // coverage after it is that of draws which did not choose
                                         // it: one half of them chooses for the other
};
// `ranks`: credibilities for widening_powers().
Widening choose_widening(const std::vector<MarginalRanks>& ranks,
                         const std::vector<std::string>& names);

}  // namespace hone
