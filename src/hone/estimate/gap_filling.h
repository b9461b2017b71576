#pragma once

#include "hone/core/matrix.h"
#include "hone/core/rng.h"

namespace hone {

// Standard scores y of data (n, columns) with NaN where values are missing, and coordinates z of
// the parameters behind them (n, parameters): draws in the place of what is missing, from the
// normal density of a linear regression of y on z, given z and what is there of the row. Density
// and draws are made in turn, a few times: a regression on the result scatters as one on whole data
// would, which it would not if means had been filled in.
void fill_gaps(MatrixView<float> y, const Matrix<double>& z, const Rng& rng);

}  // namespace hone
