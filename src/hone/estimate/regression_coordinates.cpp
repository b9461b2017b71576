#include "hone/estimate/regression_coordinates.h"

#include <cmath>

#include "hone/core/parallel.h"
#include "hone/estimate/network_coordinates.h"
#include "hone/prior/standard_normal.h"

namespace hone {

double RegressionCoordinates::operator()(const TruncatedPrior& prior, int d, double local) const {
  const auto at = static_cast<std::size_t>(d);
  return (prior_coordinate(prior, d, local) - centre[at]) / scale[at];
}

Matrix<double> RegressionCoordinates::operator()(const TruncatedPrior& prior,
                                                 MatrixView<const float> local) const {
  Matrix<double> z(local.rows(), local.cols());
  for (Index i = 0; i < z.rows(); ++i) {
    for (Index d = 0; d < z.cols(); ++d) {
      z(i, d) = (*this)(prior, static_cast<int>(d), static_cast<double>(local(i, d)));
    }
  }
  return z;
}

RegressionCoordinates fit_coordinates(const Dataset& data, std::span<const Index> rows) {
  RegressionCoordinates result;
  for (int d = 0; d < data.prior.dimensions(); ++d) {
    double sum = 0, squares = 0;
    const auto n = static_cast<double>(rows.size());
    std::vector<double> raw;
    for (const Index row : rows) {
      raw.push_back(prior_coordinate(data.prior, d, static_cast<double>(data.theta(row, d))));
      sum += raw.back();
    }
    for (const double value : raw) squares += (value - sum / n) * (value - sum / n);
    result.centre.push_back(sum / n);
    result.scale.push_back(squares > 0 ? std::sqrt(squares / n) : 1);
  }
  return result;
}

std::vector<NormalScores> find_peaks(const DataRegression& regression, const Matrix<double>& y,
                                     const RegressionCoordinates& coordinates,
                                     const TruncatedPrior& prior) {
  std::vector<NormalScores> peaks(static_cast<std::size_t>(y.rows()));
  parallel_for(y.rows(), [&](Index i) {
    peaks[static_cast<std::size_t>(i)] = regression.peak(y.row(i), [&](Index d, double score) {
      return coordinates(prior, static_cast<int>(d), standard_normal_cdf(score));
    });
  });
  return peaks;
}

}  // namespace hone
