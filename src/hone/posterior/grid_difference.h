#pragma once

#include "hone/posterior/marginal_grid.h"

namespace hone {

// The largest mass by which draws differ from a 1-d or 2-d marginal posterior: of all parts of the
// parameter space that are made of a few bins, the part in which the shares of the two differ most
// (total variation). Bins: ten of a parameter, five each of a pair, of equal mass.
//
// By chance alone it is about difference_by_chance(draws).
// draws: all parameters of the grid's marginal, in the order of the grid's axes, (n, axes).
double grid_difference(const MarginalGrid& grid, MatrixView<const double> draws);
double difference_by_chance(Index draws);  // of a pair, where more of it is chance

}  // namespace hone
