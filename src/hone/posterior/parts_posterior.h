#pragma once

#include "hone/posterior/parts.h"

namespace hone {

// Posteriors that were learned apart, each of one marginal from simulations of its own.
class PartsPosterior final : public AmortizedPosterior {
 public:
  // Of one kind, of one marginal each, in the same region and with as many networks.
  explicit PartsPosterior(std::vector<SharedPosterior> parts);

  std::string estimator() const override { return parts_[0].estimator() + "_parts"; }
  Index data_size() const override { return parts_[0].data_size(); }
  using AmortizedPosterior::features;
  Matrix<float> features(MatrixView<const float> x) const override { return parts_.features(x); }
  Matrix<float> log_densities(Index marginal, const Matrix<float>& features,
                              MatrixView<const float> local) const override;
  std::vector<Matrix<float>> log_density_blocks(Index marginal, MatrixView<const float> features,
                                                MatrixView<const float> local) const override;
  std::vector<NamedArray> to_arrays() const override { return parts_.to_arrays(); }

 private:
  Parts parts_;
};

}  // namespace hone
