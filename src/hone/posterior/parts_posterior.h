#pragma once

#include "hone/posterior/amortized_posterior.h"

namespace hone {

// Posteriors that were learned apart, each of one marginal from simulations of its own. What it
// sees of the data is what each of them sees, side by side.
class PartsPosterior final : public AmortizedPosterior {
 public:
  // Of one kind, of one marginal each, in the same region and with as many networks.
  explicit PartsPosterior(std::vector<SharedPosterior> parts);

  std::string estimator() const override { return parts_[0]->estimator() + "_parts"; }
  Index data_size() const override { return parts_[0]->data_size(); }
  using AmortizedPosterior::features;
  Matrix<float> features(MatrixView<const float> x) const override;
  Matrix<float> log_densities(Index marginal, const Matrix<float>& features,
                              MatrixView<const float> local) const override;
  std::vector<Matrix<float>> log_density_blocks(Index marginal, MatrixView<const float> features,
                                                MatrixView<const float> local) const override;
  std::vector<NamedArray> to_arrays() const override;  // of part 3: "part3_..."

 private:
  Matrix<float> features_of(Index part, MatrixView<const float> all) const;

  std::vector<SharedPosterior> parts_;
  std::vector<Index> widths_;  // features of each part
};

// The arrays of each part, under their own names.
std::vector<std::vector<NamedArray>> arrays_of_parts(std::span<const NamedArray> arrays);

}  // namespace hone
