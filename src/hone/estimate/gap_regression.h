#pragma once

#include <map>
#include <mutex>

#include "hone/estimate/regression_likelihood.h"

namespace hone {

// The regression likelihood of data with missing values. It is learned for all columns together;
// the density of those that are there is that of the others left out, which for a normal density
// takes no integral. That a value is missing is taken to say nothing of the parameters. Where it
// does, held-out simulations show it (evidence.h).
class GapRegression final : public LikelihoodPosterior {
 public:
  explicit GapRegression(std::shared_ptr<const RegressionLikelihood> whole);

  static constexpr const char* kName = "gap_regression";
  std::string estimator() const override { return kName; }
  Index data_size() const override { return whole_->data_size(); }
  using AmortizedPosterior::features;
  // Standard scores, and a mark in the place of those that are missing.
  Matrix<float> features(MatrixView<const float> x) const override;
  Matrix<float> log_joint(MatrixView<const float> features,
                          MatrixView<const float> local) const override;
  // Data with other gaps have another density: there is no number to compare models with.
  std::optional<Matrix<double>> log_evidence(MatrixView<const float>) const override {
    return std::nullopt;
  }
  SharedPosterior of_all_parameters() const override;
  std::vector<NamedArray> to_arrays() const override { return whole_->to_arrays(); }

 private:
  bool can_propose() const override { return true; }
  ProposalDraws propose(MatrixView<const float> features, Index each) const override;
  Index draws_of_many() const override { return 1024; }

  struct Known;  // what is there of a row, and its density
  Known known(std::span<const float> features) const;
  std::shared_ptr<const DataRegression> without(const std::vector<Index>& columns) const;

  std::shared_ptr<const RegressionLikelihood> whole_;
  std::vector<NamedArray> arrays_;  // of the regression
  Matrix<double> covariance_;  // of the scatter; its diagonal alone where columns are independent
  mutable std::mutex mutex_;
  mutable std::map<std::vector<Index>, std::shared_ptr<const DataRegression>> densities_;
};

const EstimatorKind& gap_regression_estimation();

// Whether there are few enough columns, and what a regression needs (may_regress).
bool may_regress_with_gaps(const Dataset& data);

}  // namespace hone
