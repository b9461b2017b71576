#pragma once

#include "hone/posterior/parts.h"

namespace hone {

// Several estimators of the same marginals, learned from the same simulations. Their networks make
// up one ensemble, in which an estimator has as much weight as its share says:
//
//   p(theta | x) = sum over parts of share_k p_k(theta | x).
class CombinedPosterior final : public AmortizedPosterior {
 public:
  // shares: marginal by marginal, one for each part; those of a marginal add up to 1. kinds: a
  // number for each part, which the files keep for whoever reads them.
  CombinedPosterior(const std::vector<SharedPosterior>& parts, std::vector<double> shares,
                    std::vector<double> kinds);

  std::string estimator() const override { return "combined"; }
  Index data_size() const override { return parts_[0].data_size(); }
  using AmortizedPosterior::features;
  Matrix<float> features(MatrixView<const float> x) const override { return parts_.features(x); }
  // Networks without weight are not asked: their densities are constant.
  Matrix<float> log_densities(Index marginal, const Matrix<float>& features,
                              MatrixView<const float> local) const override;
  std::vector<Matrix<float>> log_density_blocks(Index marginal, MatrixView<const float> features,
                                                MatrixView<const float> local) const override;
  const AmortizedPosterior& quick() const override { return parts_[0]; }
  // Means over the marginals of as many parameters: "single parameters: ratio 0.4, likelihood 0.6".
  std::string describe_shares() const override;
  // The fewest of a part that has a say.
  std::optional<double> effective_draws(std::span<const double> x) const override;
  bool weighted_draws() const override;               // of a part that counts at all
  bool normalized() const override { return false; }  // not every part is
  int curves() const override { return parts_[0].curves(); }
  std::vector<NamedArray> to_arrays() const override;  // with "shares" (marginals, parts)
  static constexpr const char* kKinds = "kinds";       // and these

  std::span<const SharedPosterior> parts() const override { return parts_.all(); }
  std::span<const double> shares(Index marginal) const;

 private:
  double largest_share(Index part) const;  // in any marginal

  Parts parts_;
  std::vector<double> shares_, kinds_;
};

}  // namespace hone
