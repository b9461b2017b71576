#pragma once

#include <optional>

#include "hone/engine/density_stack.h"
#include "hone/estimate/data_pieces.h"
#include "hone/estimate/estimator.h"
#include "hone/estimate/likelihood_posterior.h"

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
  // Of data that are taken apart the likelihood is that of one piece: of an element of a set, where
  // elements are taken to be independent of each other once the parameters are known, or of a step
  // of a series, where a value is taken to depend on the one before alone. The proposal sees
  // summaries of all pieces (piece_summaries.h).
  DataPieces pieces;
  // p(first values | theta) of a series, member by member; none of other data.
  std::optional<DensityStack> first = std::nullopt;
  // The columns of the data that all this is of, and how many the data have. Empty: all of them.
  std::vector<Index> columns = {};
  Index data_columns = 0;
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

  std::string estimator() const override;
  Index data_size() const override {
    return networks_.columns.empty() ? networks_.pieces.total() : networks_.data_columns;
  }
  using AmortizedPosterior::features;
  Matrix<float> features(MatrixView<const float> x) const override;
  Matrix<float> log_joint(MatrixView<const float> features,
                          MatrixView<const float> local) const override;
  SharedPosterior of_all_parameters() const override;
  std::vector<NamedArray> to_arrays() const override;

  // Constant columns are left out. None of a likelihood of some columns.
  std::optional<Matrix<double>> log_evidence(MatrixView<const float> x) const override;

 private:
  bool can_propose() const override { return networks_.proposal.has_value(); }
  ProposalDraws propose(MatrixView<const float> features, Index each) const override;
  Index draws_of_many() const override;
  MatrixView<const float> proposal_context(MatrixView<const float> features) const;
  MatrixView<const float> first_values(MatrixView<const float> features) const;
  MatrixView<const float> piece(MatrixView<const float> features, Index i) const;
  void add_log_densities(std::span<float> out, Index k, MatrixView<const float> contexts,
                         MatrixView<const float> features) const;
  void add_first(std::span<float> out, int e, MatrixView<const float> parameters,
                 MatrixView<const float> features) const;
  void add_present(std::span<float> out, Index k, MatrixView<const float> contexts,
                   MatrixView<const float> features, Index piece) const;
  double log_slope(std::span<const float> x) const;

  std::shared_ptr<const LikelihoodNetworks> shared_;
  const LikelihoodNetworks& networks_;
  Index context_columns_ = 0;  // of features, for the proposal alone ...
  Index first_columns_ = 0;    // ... and behind them, for the first values of a series
};

// What the proposal of a likelihood of pieces sees of the data x, (n, summary_count()).
Matrix<float> piece_summaries(const LikelihoodNetworks& networks, MatrixView<const float> x);
Index summary_count(const DataPieces& pieces);

// Whether density k is of a column that is the same in all simulations: it tells nothing of the
// parameters, and its density has no limit.
bool is_constant_column(const DensityStack& likelihood, Index k);

// Its row: what NLE and truncated NLE train.
const EstimatorKind& likelihood_estimation();
// The likelihood of the columns that depend on the parameters, of data with many others.
const EstimatorKind& column_likelihood_estimation();
// The likelihood of the elements of a set, one by one.
const EstimatorKind& element_likelihood_estimation();
// The likelihood of a series: of its first value, and of each other one given the one before.
const EstimatorKind& transition_likelihood_estimation();

// More columns than this cannot be learned one by one.
inline constexpr Index kMostLikelihoodColumns = 200;
inline constexpr Index kMostPieces = 100'000;

}  // namespace hone
