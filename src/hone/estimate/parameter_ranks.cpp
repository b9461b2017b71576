#include "hone/estimate/parameter_ranks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hone/core/error.h"
#include "hone/prior/standard_normal.h"

namespace hone {
namespace {

// Ranks about their mean, of length 1; equal values share their rank. Nothing if all are equal.
void set_ranks(std::span<double> out, std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  const double middle = static_cast<double>(values.size() - 1) / 2;
  double square = 0;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double rank = static_cast<double>(begin + end - 1) / 2 - middle;
    for (std::size_t k = begin; k < end; ++k) out[order[k]] = rank;
    square += rank * rank * static_cast<double>(end - begin);
  }
  for (double& rank : out) rank = square > 0 ? rank / std::sqrt(square) : 0;
}

}  // namespace

ParameterRanks::ParameterRanks(MatrixView<const float> local, std::span<const Index> rows)
    : targets_(2 * local.cols(), std::ssize(rows)) {
  std::vector<double> values(rows.size());
  for (Index d = 0; d < local.cols(); ++d) {
    const auto take = [&](Index target, const auto& function) {
      std::ranges::transform(rows, values.begin(), [&](Index row) {
        return function(static_cast<double>(local(row, d)));
      });
      set_ranks(targets_.row(target), values);
    };
    take(2 * d, [](double value) { return value; });
    take(2 * d + 1, [](double value) { return std::abs(value - 0.5); });
  }
}

double ParameterRanks::largest(std::span<const double> values) const {
  HONE_ASSERT(std::ssize(values) == targets_.cols());
  std::vector<double> ranks(values.size());
  set_ranks(ranks, values);
  double result = 0;
  for (Index k = 0; k < targets_.rows(); ++k) {
    const double sum = std::inner_product(ranks.begin(), ranks.end(), targets_.row(k).begin(), 0.0);
    result = std::max(result, std::abs(sum));
  }
  return result * std::sqrt(static_cast<double>(values.size()) - 1);
}

double chance_limit(Index correlations) {
  constexpr double kLevel = 0.01;
  return standard_normal_quantile(1 - kLevel / (2 * static_cast<double>(correlations)));
}

}  // namespace hone
