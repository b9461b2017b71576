// How a DataRegression is stored and read back.
#include <algorithm>
#include <cmath>

#include "hone/estimate/data_regression.h"
#include "hone/estimate/factors.h"

namespace hone {

DataRegression DataRegression::from_arrays(std::span<const NamedArray> arrays, Index parameters) {
  const auto matrix = [&](const char* name, Index rows, Index cols) {
    const auto values = array_values<double>(arrays, name, std::vector<Index>{rows, cols});
    const std::vector<Index>& shape = find_array(arrays, name).shape;
    Matrix<double> result(shape[0], shape[1]);
    std::ranges::copy(values, result.data());
    if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
      fail_misfit();
    }
    return result;
  };
  const double degree = array_values<double>(arrays, "degree", std::vector<Index>{1})[0];
  if (!(degree >= 1 && degree <= kMostDegree && degree == std::floor(degree))) fail_misfit();
  const int whole = static_cast<int>(degree);
  if (PolynomialBasis::size_of(parameters, whole) > kMostMonomials) fail_misfit();
  DataRegression result{PolynomialBasis(parameters, whole)};
  const Index size = result.basis_.size();
  result.mean_ = matrix("mean", size, -1);
  result.leverage_ = matrix("leverage", size, size);
  result.precision_ = matrix("precision", -1, result.columns());
  const Index rows = result.precision_.rows();
  if (rows != 1 && rows != result.columns()) fail_misfit();
  for (Index j = 0; j < result.columns(); ++j) {
    if (!(result.precision_(rows == 1 ? 0 : j, j) > 0)) fail_misfit();
  }
  if (std::ranges::find(arrays, "log_variance", &NamedArray::name) != arrays.end()) {
    result.log_variance_ = matrix("log_variance", 1 + parameters, result.columns());
  }
  result.certainty_ = array_values<double>(arrays, "certainty", std::vector<Index>{1})[0];
  if (!(result.certainty_ > 0 && result.certainty_ <= 1)) fail_misfit();
  result.finish();
  return result;
}

std::vector<NamedArray> DataRegression::to_arrays() const {
  const auto array = [](const char* name, const Matrix<double>& matrix) {
    return NamedArray{name,
                      {matrix.rows(), matrix.cols()},
                      std::vector(matrix.data(), matrix.data() + matrix.rows() * matrix.cols())};
  };
  std::vector<NamedArray> arrays{{"degree", {1}, std::vector{static_cast<double>(basis_.degree())}},
                                 {"certainty", {1}, std::vector{certainty_}},
                                 array("mean", mean_),
                                 array("leverage", leverage_),
                                 array("precision", precision_)};
  if (log_variance_.rows() > 0) arrays.push_back(array("log_variance", log_variance_));
  return arrays;
}

}  // namespace hone
