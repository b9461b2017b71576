#pragma once

#include <span>
#include <vector>

#include "hone/prior/prior.h"
#include "hone/report/axes.h"

// Scales that the figures of a run and its page have in common.

namespace hone {

// Where the CDF of a parameter is drawn from 0 to 1, in which all parts of the prior are equally
// wide, with ticks in the parameter's own units.
Axis unit_axis(const Prior& prior, int d);

// Units in which 0 is the median of a column of the data, and the 95 % band of its simulations is 2
// wide.
struct ColumnScale {
  double middle = 0, half = 1;  // half 0: a column that does not change
  double of(double value) const;
};
// One for each column; none if the spreads are alike, so that one scale shows them all: columns of
// very different spread would be flat lines on it.
std::vector<ColumnScale> column_scales(std::span<const double> low, std::span<const double> median,
                                       std::span<const double> high);

}  // namespace hone
