#include "hone/metrics/marginal_pairs.h"

namespace hone {
namespace {

Matrix<double> chosen_columns(MatrixView<const double> sample, const Marginal& columns) {
  Matrix<double> out(sample.rows(), static_cast<Index>(columns.size()));
  for (Index i = 0; i < sample.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) {
      out(i, j) = sample(i, columns[static_cast<std::size_t>(j)]);
    }
  }
  return out;
}

}  // namespace

SamplePair marginal_pair(MatrixView<const double> a, MatrixView<const double> b,
                         const Marginal& columns) {
  for (const int column : columns) {
    HONE_ASSERT(column >= 0 && column < a.cols() && column < b.cols());
  }
  return {chosen_columns(a, columns), chosen_columns(b, columns)};
}

std::vector<SamplePair> marginal_pairs(MatrixView<const double> a, MatrixView<const double> b,
                                       std::span<const Marginal> marginals) {
  std::vector<SamplePair> pairs;
  for (const Marginal& marginal : marginals) pairs.push_back(marginal_pair(a, b, marginal));
  return pairs;
}

std::map<Index, double> c2st_ddm(std::span<const SamplePair> pairs,
                                 std::span<const double> values) {
  HONE_ASSERT(pairs.size() == values.size());
  std::map<Index, double> sums, counts;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    sums[pairs[i].a.cols()] += values[i];
    counts[pairs[i].a.cols()] += 1;
  }
  for (auto& [dimension, sum] : sums) sum /= counts[dimension];
  return sums;
}

}  // namespace hone
