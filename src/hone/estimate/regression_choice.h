#pragma once

#include <span>

#include "hone/engine/standardizer.h"
#include "hone/estimate/regression_coordinates.h"

namespace hone {

struct ChosenRegression {
  DataRegression regression;
  Matrix<float> functions;  // what it sees of the data's scores (smooth_functions.h)
};

// Fits a regression to these rows of the data, in the form that predicts parameters best. A fifth
// of the rows judge forms that were fitted to the others: among what their data might have come
// from, how probable is what they did come from? The best form is then fitted to all rows. Held-out
// simulations have no part in this: they decide later how much the regression counts (evidence.h).
//
// Of series and images smooth sums (smooth_functions.h) are candidates besides the data themselves.
// Posteriors of the same parameters can be compared, whatever they see of the data.
ChosenRegression choose_regression(const Dataset& data, std::span<const Index> rows,
                                   const Standardizer& scores,
                                   const RegressionCoordinates& coordinates);

// Whether so many rows are enough for a regression on so many parameters.
bool enough_to_regress(Index rows, Index parameters);

}  // namespace hone
