#pragma once

#include "hone/engine/standardizer.h"
#include "hone/estimate/estimator.h"
#include "hone/estimate/likelihood_posterior.h"
#include "hone/estimate/regression_choice.h"
#include "hone/estimate/regression_coordinates.h"

namespace hone {

// A likelihood without networks: a normal density whose mean is a polynomial of the parameters
// (data_regression.h), in the form that predicts best (regression_choice.h). Seconds of work for
// data of any length.
class RegressionLikelihood final : public LikelihoodPosterior {
 public:
  RegressionLikelihood(TruncatedPrior prior, const std::vector<Marginal>& marginals,
                       Standardizer scores, RegressionCoordinates coordinates,
                       std::shared_ptr<const ChosenRegression> regression);

  static constexpr const char* kName = "regression";
  std::string estimator() const override { return kName; }
  Index data_size() const override { return scores_.cols(); }
  using AmortizedPosterior::features;
  // Standard scores, or functions of them.
  Matrix<float> features(MatrixView<const float> x) const override;
  Matrix<float> log_joint(MatrixView<const float> features,
                          MatrixView<const float> local) const override;
  std::optional<Matrix<double>> log_evidence(MatrixView<const float> x) const override;
  SharedPosterior of_all_parameters() const override;
  std::vector<NamedArray> to_arrays() const override;

  const RegressionCoordinates& coordinates() const { return coordinates_; }
  const DataRegression& regression() const { return regression_; }

 private:
  bool can_propose() const override { return true; }
  bool sums_up() const { return shared_->functions.rows() > 0; }
  ProposalDraws propose(MatrixView<const float> features, Index each) const override;
  Index draws_of_many() const override { return 1024; }

  Standardizer scores_;
  RegressionCoordinates coordinates_;
  std::shared_ptr<const ChosenRegression> shared_;  // other posteriors see it as well
  const DataRegression& regression_;
};

const EstimatorKind& regression_estimation();

// Whether there are enough simulations, all of which succeeded, and parameters that are numbers on
// a line and independent of each other.
bool may_regress(const Dataset& data);
// Training rows that a regression is fitted to, evenly spread over all of them if these are too
// many.
std::vector<Index> rows_to_regress(const Dataset& data);

}  // namespace hone
