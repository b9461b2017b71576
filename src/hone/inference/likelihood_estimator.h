#pragma once

#include <optional>

#include "hone/engine/density_stack.h"
#include "hone/inference/estimator.h"
#include "hone/inference/likelihood_posterior.h"

namespace hone {

// The networks of a likelihood.
struct LikelihoodNetworks {
  // p(x | theta), member by member of the ensemble: a network for each column of the data, given
  // the parameters and the columns before it, or a flow of all columns. Every member has an order
  // of columns of its own.
  DensityStack likelihood;
  // p(theta | x) of all parameters, one network each: where draws are proposed. None if only the
  // joint posterior was asked for.
  std::optional<DensityStack> proposal;
  // p(theta | data exist) over the uniform density, of all parameters: the prior's shape in local
  // coordinates times the probability that a simulation succeeds. None if both are constant.
  std::optional<RatioStack> selection;
  // Of data that are a set of elements, which are taken to be independent of each other once the
  // parameters are known: the likelihood is that of one element, and the proposal sees moments of
  // all (set_elements.h). 1: of all data together.
  Index elements = 1;
};

// A likelihood that networks have learned. Their posterior density proposes the draws.
class LikelihoodEstimator final : public LikelihoodPosterior {
 public:
  LikelihoodEstimator(TruncatedPrior prior, std::vector<Marginal> marginals, int ensemble,
                      LikelihoodNetworks networks, std::vector<double> weights)
      : LikelihoodEstimator(std::move(prior), std::move(marginals), ensemble,
                            std::make_shared<const LikelihoodNetworks>(std::move(networks)),
                            std::move(weights)) {}
  // Networks that other posteriors see as well.
  LikelihoodEstimator(TruncatedPrior prior, std::vector<Marginal> marginals, int ensemble,
                      std::shared_ptr<const LikelihoodNetworks> networks,
                      std::vector<double> weights);

  std::string estimator() const override {
    return networks_.elements > 1 ? "element_likelihood" : "likelihood";
  }
  Index data_size() const override { return columns() * networks_.elements; }
  using AmortizedPosterior::features;
  Matrix<float> features(MatrixView<const float> x) const override;
  Matrix<float> log_joint(MatrixView<const float> features,
                          MatrixView<const float> local) const override;
  SharedPosterior of_all_parameters() const override;
  std::vector<NamedArray> to_arrays() const override;

  // out (ensemble, n): log of the mean of p(x | theta) over the parameters in the region for which
  // data exist, in the units of x, for n rows of x. Constant columns are left out. nullopt: without
  // a proposal there are no draws to take it from.
  std::optional<Matrix<double>> log_evidence(MatrixView<const float> x) const;

 private:
  bool can_propose() const override { return networks_.proposal.has_value(); }
  ProposalDraws propose(MatrixView<const float> features, Index each) const override;
  Index draws_of_many() const override;
  Index columns() const { return networks_.likelihood.theta_scores().cols(); }  // of an element
  MatrixView<const float> proposal_context(MatrixView<const float> features) const;
  MatrixView<const float> element(MatrixView<const float> features, Index e) const;
  void add_log_densities(std::span<float> out, Index k, MatrixView<const float> contexts,
                         MatrixView<const float> features) const;

  std::shared_ptr<const LikelihoodNetworks> shared_;
  const LikelihoodNetworks& networks_;
  Index context_columns_ = 0;  // of features, for the proposal alone
};

// Whether density k is of a column that is the same in all simulations: it tells nothing of the
// parameters, and its density has no limit.
bool is_constant_column(const DensityStack& likelihood, Index k);

// Its row: what NLE and truncated NLE train.
const EstimatorKind& likelihood_estimation();
// The likelihood of the elements of a set, one by one.
const EstimatorKind& element_likelihood_estimation();

// More columns than this cannot be learned one by one.
inline constexpr Index kMostLikelihoodColumns = 200;
inline constexpr Index kMostElements = 100'000;

}  // namespace hone
