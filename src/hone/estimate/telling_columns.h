#pragma once

#include <vector>

#include "hone/estimate/simulations.h"

namespace hone {

// The columns of the data that depend on a parameter, by a rank correlation of their value or its
// distance from the middle (parameter_ranks.h); ascending. A posterior that sees these alone is
// right, if perhaps wider than that of all the data. Training simulations decide.
std::vector<Index> telling_columns(const Dataset& data);

// The same simulations with these columns alone, as undeclared data. `data` must outlive it.
Dataset with_columns(const Dataset& data, const std::vector<Index>& columns);

// (n, columns chosen)
Matrix<float> choose_columns(MatrixView<const float> x, std::span<const Index> columns);

}  // namespace hone
