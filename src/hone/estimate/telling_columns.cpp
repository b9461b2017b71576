#include "hone/estimate/telling_columns.h"

#include <algorithm>
#include <cmath>

#include "hone/core/parallel.h"
#include "hone/estimate/data_pieces.h"
#include "hone/estimate/parameter_ranks.h"

namespace hone {
namespace {

constexpr Index kMostRows = 4096;  // their correlations are known to 0.016

}  // namespace

std::vector<Index> telling_columns(const Dataset& data) {
  const Index all = std::ssize(data.training), count = std::min(all, kMostRows);
  std::vector<Index> rows;
  for (Index i = 0; i < count; ++i) {
    rows.push_back(data.training[static_cast<std::size_t>(i * all / count)]);
  }
  Matrix<float> x(count, data.x->cols());
  data.x->read(x, rows);
  const ParameterRanks ranks(data.theta, rows);
  const double limit = chance_limit(2 * x.cols() * ranks.targets());
  std::vector<char> tells(static_cast<std::size_t>(x.cols()), 0);
  parallel_for(x.cols(), [&](Index j) {
    std::vector<double> values, sorted;
    for (Index i = 0; i < count; ++i) values.push_back(static_cast<double>(x(i, j)));
    sorted = values;
    const auto middle = sorted.begin() + count / 2;
    std::ranges::nth_element(sorted, middle);
    bool depends = ranks.largest(values) > limit;
    for (double& value : values) value = std::abs(value - *middle);
    depends = depends || ranks.largest(values) > limit;
    tells[static_cast<std::size_t>(j)] = depends ? 1 : 0;
  });
  std::vector<Index> columns;
  for (Index j = 0; j < x.cols(); ++j) {
    if (tells[static_cast<std::size_t>(j)] != 0) columns.push_back(j);
  }
  return columns;
}

Matrix<float> choose_columns(MatrixView<const float> x, std::span<const Index> columns) {
  Matrix<float> result(x.rows(), std::ssize(columns));
  for (Index i = 0; i < x.rows(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      result(i, static_cast<Index>(j)) = x(i, columns[j]);
    }
  }
  return result;
}

Dataset with_columns(const Dataset& data, const std::vector<Index>& columns) {
  Dataset result{.prior = data.prior,
                 .ids = data.ids,
                 .x = std::make_unique<FunctionRows>(
                     *data.x, std::ssize(columns),
                     [columns](MatrixView<const float> x) { return choose_columns(x, columns); }),
                 .theta = Matrix<float>(data.theta.rows(), data.theta.cols()),
                 .rounds = data.rounds,
                 .training = data.training,
                 .validation = data.validation,
                 .training_negatives = data.training_negatives,
                 .validation_negatives = data.validation_negatives,
                 .issued = data.issued,
                 .first = data.first};
  std::copy_n(data.theta.data(), data.theta.rows() * data.theta.cols(), result.theta.data());
  return result;
}

}  // namespace hone
