#pragma once

#include "hone/estimate/estimator.h"

namespace hone {

// Networks that estimate r(x, theta) = p(x | theta) / p(x) inside a region by classification. In
// local coordinates the truncated prior is uniform, so that r is the posterior density in them.
//
// Negatives are drawn from all simulations that were tried, failed ones too: they stand for the
// truncated prior. Where simulations fail, r is then the posterior given that data exist.
class RatioEstimator final : public AmortizedPosterior {
 public:
  // Members of the stack: marginal by marginal, `ensemble` of each. `weights` as the members.
  RatioEstimator(TruncatedPrior prior, std::vector<Marginal> marginals, int ensemble,
                 RatioStack stack, std::vector<double> weights);

  std::string estimator() const override { return "ratio"; }
  Index data_size() const override { return stack_.data_size(); }
  using AmortizedPosterior::features;
  Matrix<float> features(MatrixView<const float> x) const override { return stack_.features(x); }
  Matrix<float> log_densities(Index marginal, const Matrix<float>& features,
                              MatrixView<const float> local) const override;
  std::vector<Matrix<float>> log_density_blocks(Index marginal, MatrixView<const float> features,
                                                MatrixView<const float> local) const override;
  std::vector<NamedArray> to_arrays() const override;

 private:
  RatioStack stack_;
};

// Its row: what NRE, MNRE and TMNRE train.
const EstimatorKind& ratio_estimation();

// A network that did worse on the validation rows than the best of its ensemble counts less:
//
//   w ~ exp(-(loss - best loss) / s),     s = 1 / (parts sqrt(validation rows)),
//
// with s about the standard error of the difference of two losses: parts is 3 for ratios, 1 for log
// densities, which differ more from row to row. Equals are averaged, and one that learned nothing
// does not spoil the others.
std::vector<double> ensemble_weights(std::span<const MemberHistory> ensemble,
                                     std::size_t validation_rows, double parts = 3);

}  // namespace hone
