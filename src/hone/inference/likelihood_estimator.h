#pragma once

#include <map>
#include <mutex>
#include <optional>

#include "hone/engine/density_stack.h"
#include "hone/inference/estimator.h"
#include "hone/inference/proposal_draws.h"
#include "hone/posterior/weighted_density.h"

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

// Posteriors from an estimated likelihood, p(theta | x) ~ p(x | theta) p(theta) inside a region.
//
// The joint posterior of all parameters is that product. Marginals are integrals of it: draws from
// a proposal (the posterior density, as it is, two and four times as wide, and the prior, so that
// tails are seen) get weights p(x | theta) p(theta) / q(theta | x), and are smoothed
// (hone/posterior/weighted_density.h). Where few of them count, others are drawn around these. The
// draws are fixed: same x, same numbers.
class LikelihoodEstimator final : public AmortizedPosterior {
 public:
  LikelihoodEstimator(TruncatedPrior prior, std::vector<Marginal> marginals, int ensemble,
                      LikelihoodNetworks networks, std::vector<double> weights);

  std::string estimator() const override {
    return networks_.elements > 1 ? "element_likelihood" : "likelihood";
  }
  bool normalized() const override { return false; }
  Index data_size() const override { return columns() * networks_.elements; }
  using AmortizedPosterior::features;
  Matrix<float> features(MatrixView<const float> x) const override;
  Matrix<float> log_densities(Index marginal, const Matrix<float>& features,
                              MatrixView<const float> local) const override;
  // For many x all members say what they say together.
  std::vector<Matrix<float>> log_density_blocks(Index marginal, MatrixView<const float> features,
                                                MatrixView<const float> local) const override;
  std::vector<NamedArray> to_arrays() const override;

  // (ensemble, n): log p(x | theta) p(theta) up to a constant of x, for row i of features and
  // `each` rows of local coordinates of all parameters of its own.
  Matrix<float> log_joint(MatrixView<const float> features, MatrixView<const float> local) const;

  std::optional<double> effective_draws(std::span<const double> x) const override;
  static constexpr Index kDraws = 16384;  // for one x

  // out (ensemble, n): log of the mean of p(x | theta) over the parameters in the region for which
  // data exist, in the units of x, for n rows of x. Constant columns are left out. nullopt: without
  // a proposal there are no draws to take it from.
  std::optional<Matrix<double>> log_evidence(MatrixView<const float> x) const;

 private:
  // For rows of features: local coordinates and weights that add up to 1 for every x.
  struct Draws {
    Matrix<float> features;
    Matrix<float> local;                  // (n each, parameters)
    std::vector<Matrix<double>> weights;  // per member, (n, each)
    Matrix<double> log_mean;              // (ensemble, n): of the weights before they add up to 1
  };
  std::shared_ptr<const Draws> draws(MatrixView<const float> features, Index each) const;
  void set_weights(Draws& draws, const ProposalDraws& proposed) const;
  bool refine(ProposalDraws& proposed, Draws& draws, int turn) const;
  Index draws_of_many() const;  // for each x of many
  bool is_joint(const Marginal& marginal) const;
  Index columns() const { return networks_.likelihood.theta_scores().cols(); }  // of an element
  MatrixView<const float> proposal_context(MatrixView<const float> features) const;
  MatrixView<const float> element(MatrixView<const float> features, Index e) const;
  void add_log_densities(std::span<float> out, Index k, MatrixView<const float> contexts,
                         MatrixView<const float> features) const;
  std::vector<Matrix<float>> joint_blocks(const Marginal& marginal,
                                          MatrixView<const float> features,
                                          MatrixView<const float> local) const;

  LikelihoodNetworks networks_;
  Index context_columns_ = 0;  // of features, for the proposal alone
  // What was asked for last: checks and samplers ask for the same data again and again.
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Draws> last_;
  using Members = std::vector<WeightedDensity>;  // of one marginal
  std::shared_ptr<const Members> smoothed(Index marginal,
                                          const std::shared_ptr<const Draws>& drawn) const;
  mutable std::shared_ptr<const Draws> smoothed_draws_;               // one x
  mutable std::map<Index, std::shared_ptr<const Members>> smoothed_;  // by marginal
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
