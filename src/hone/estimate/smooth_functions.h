#pragma once

#include <vector>

#include "hone/core/data_description.h"
#include "hone/estimate/data_regression.h"

namespace hone {

// What parameters do to neighbours in a series or an image is usually alike: some hundred smooth
// sums of the data tell nearly all that thousands of pixels do, and are learned from far fewer
// simulations. These are the sums over bumps of one width, of data in units of their noise, turned
// so that their noise is independent of each other where that of the data is. One table for each
// width, (columns, functions); none for data without places. The noise is what a regression leaves
// of these rows.
std::vector<Matrix<float>> smooth_functions(const DataDescription& data,
                                            const RegressionRows& rows);

// y times functions, row by row.
Matrix<double> seen_through(const Matrix<float>& functions, MatrixView<const double> y);
RegressionRows seen_through(const Matrix<float>& functions, const RegressionRows& rows);

}  // namespace hone
