#include "hone/estimate/derived_data.h"

#include <algorithm>

#include "hone/prior/derived_axes.h"

namespace hone {

Dataset with_derived(Dataset data, const Rng& rng) {
  const TruncatedPrior axes = with_derived_axes(data.prior);
  const Index n = data.rows();
  Matrix<double> local(n, data.theta.cols());
  for (Index i = 0; i < n; ++i) std::ranges::copy(data.theta.row(i), local.row(i).begin());
  const Matrix<double> all = with_derived_columns(data.prior, axes, local);
  data.theta = Matrix<float>(2 * n, all.cols());
  for (Index i = 0; i < n; ++i) {
    const std::int64_t id = data.ids[static_cast<std::size_t>(i)];
    Rng uniform = rng.child("uniform negative", static_cast<std::uint64_t>(id));
    for (Index d = 0; d < all.cols(); ++d) {
      data.theta(i, d) = static_cast<float>(all(i, d));
      data.theta(n + i, d) = static_cast<float>(uniform.uniform());
    }
  }
  const auto negatives_of = [n](std::vector<Index> rows) {
    for (Index& row : rows) row += n;
    return rows;
  };
  data.training_negatives = negatives_of(data.training);
  data.validation_negatives = negatives_of(data.validation);
  data.prior = axes;
  return data;
}

}  // namespace hone
