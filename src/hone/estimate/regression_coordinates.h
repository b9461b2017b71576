#pragma once

#include <span>
#include <vector>

#include "hone/estimate/data_regression.h"
#include "hone/estimate/simulations.h"

namespace hone {

// The parameters as a regression knows them: between finite bounds their CDF, without bounds its
// normal quantile, and of these about standard scores.
struct RegressionCoordinates {
  std::vector<double> centre, scale;

  double operator()(const TruncatedPrior& prior, int d, double local) const;
  Matrix<double> operator()(const TruncatedPrior& prior, MatrixView<const float> local) const;
};

RegressionCoordinates fit_coordinates(const Dataset& data, std::span<const Index> rows);

// The peak of the posterior of every row of standard scores y.
std::vector<NormalScores> find_peaks(const DataRegression& regression, const Matrix<double>& y,
                                     const RegressionCoordinates& coordinates,
                                     const TruncatedPrior& prior);

}  // namespace hone
