#pragma once

#include "hone/engine/standardizer.h"
#include "hone/inference/estimator.h"
#include "hone/inference/likelihood_posterior.h"
#include "hone/inference/regression_coordinates.h"

namespace hone {

// A likelihood without networks: a normal density whose mean is a polynomial of the parameters
// (data_regression.h), in the form that predicts best (regression_choice.h). Seconds of work for
// data of any length.
class RegressionLikelihood final : public LikelihoodPosterior {
 public:
  RegressionLikelihood(TruncatedPrior prior, const std::vector<Marginal>& marginals,
                       Standardizer scores, RegressionCoordinates coordinates,
                       std::shared_ptr<const DataRegression> regression);

  static constexpr const char* kName = "regression";
  std::string estimator() const override { return kName; }
  Index data_size() const override { return regression_.columns(); }
  using AmortizedPosterior::features;
  Matrix<float> features(MatrixView<const float> x) const override;  // standard scores
  Matrix<float> log_joint(MatrixView<const float> features,
                          MatrixView<const float> local) const override;
  std::optional<Matrix<double>> log_evidence(MatrixView<const float> x) const override;
  SharedPosterior of_all_parameters() const override;
  std::vector<NamedArray> to_arrays() const override;

  const RegressionCoordinates& coordinates() const { return coordinates_; }
  const DataRegression& regression() const { return regression_; }

 private:
  bool can_propose() const override { return true; }
  ProposalDraws propose(MatrixView<const float> features, Index each) const override;
  Index draws_of_many() const override { return 1024; }

  Standardizer scores_;
  RegressionCoordinates coordinates_;
  std::shared_ptr<const DataRegression> shared_;  // other posteriors see it as well
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
