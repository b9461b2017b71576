#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "hone/estimate/proposal_draws.h"
#include "hone/posterior/amortized_posterior.h"
#include "hone/posterior/weighted_density.h"

namespace hone {

// Posteriors from a likelihood that was estimated, p(theta | x) ~ p(x | theta) p(theta) inside a
// region. How it was estimated is the derived class' own business.
//
// The joint posterior of all parameters is that product. Marginals are integrals of it: draws from
// a proposal get weights p(x | theta) p(theta) / q(theta | x), and are smoothed
// (hone/posterior/weighted_density.h). Where few of them count, others are drawn around these. The
// draws are fixed: same x, same numbers.
class LikelihoodPosterior : public AmortizedPosterior {
 public:
  bool normalized() const override { return false; }
  Matrix<float> log_densities(Index marginal, const Matrix<float>& features,
                              MatrixView<const float> local) const override;
  // For many x all members say what they say together.
  std::vector<Matrix<float>> log_density_blocks(Index marginal, MatrixView<const float> features,
                                                MatrixView<const float> local) const override;
  std::optional<double> effective_draws(std::span<const double> x) const override;
  bool weighted_draws() const override { return true; }

  // (ensemble, n): log p(x | theta) p(theta) up to a constant of x, for row i of features and
  // `each` rows of local coordinates of all parameters of its own.
  virtual Matrix<float> log_joint(MatrixView<const float> features,
                                  MatrixView<const float> local) const = 0;

  // out (ensemble, n): log of the mean of p(x | theta) over the parameters in the region for which
  // data exist, in the units of x, for n rows of x. nullopt: the likelihood is no density of x, or
  // there are no draws to take the mean from.
  virtual std::optional<Matrix<double>> log_evidence(MatrixView<const float> x) const = 0;
  // The same likelihood, with the joint posterior as its only marginal.
  virtual SharedPosterior of_all_parameters() const = 0;

  static constexpr Index kDraws = 16384;  // for one x

 protected:
  using AmortizedPosterior::AmortizedPosterior;

  // For rows of features: local coordinates and weights that add up to 1 for every x.
  struct Draws {
    Matrix<float> features;
    Matrix<float> local;                  // (n each, parameters)
    std::vector<Matrix<double>> weights;  // per member, (n, each)
    Matrix<double> log_mean;              // (ensemble, n): of the weights before they add up to 1
  };
  std::shared_ptr<const Draws> draws(MatrixView<const float> features) const;

 private:
  // Whether there is a proposal; without one only the joint posterior can be asked for.
  virtual bool can_propose() const = 0;
  // `each` draws for every row of features, from a density that covers the posterior and its tails.
  virtual ProposalDraws propose(MatrixView<const float> features, Index each) const = 0;
  virtual Index draws_of_many() const = 0;  // for each x of many

  std::shared_ptr<const Draws> draws(MatrixView<const float> features, Index each) const;
  void set_weights(Draws& draws, const ProposalDraws& proposed) const;
  bool refine(ProposalDraws& proposed, Draws& draws, int turn) const;
  bool is_joint(const Marginal& marginal) const;
  std::vector<Matrix<float>> joint_blocks(const Marginal& marginal,
                                          MatrixView<const float> features,
                                          MatrixView<const float> local) const;

  // Coordinates of draws, smoothed: for every parameter a line per set of weights.
  using SharedDraws = std::shared_ptr<const Draws>;
  using Lines = std::vector<WeightedDensity::SharedLine>;
  struct SmoothedLines {
    SharedDraws draws;
    std::vector<double> shares;  // of the members in the weights
    std::map<int, std::shared_ptr<const Lines>> of;
  };
  using Members = std::vector<WeightedDensity>;  // of one marginal
  std::shared_ptr<const Members> smoothed(Index marginal, const SharedDraws& drawn) const;
  // Of all rows of the draws, with the members' weights averaged; by number in the marginal.
  std::vector<std::shared_ptr<const Lines>> lines_of_rows(Index marginal,
                                                          const SharedDraws& drawn) const;
  std::shared_ptr<const Lines> known_lines(int parameter, const SharedDraws& drawn,
                                           std::span<const double> shares) const;

  // What was asked for last, the many draws of one x and the few of many: checks and samplers ask
  // for the same data again and again.
  mutable std::mutex mutex_;
  mutable SharedDraws last_, last_of_many_;
  mutable SharedDraws smoothed_draws_;                                // one x
  mutable std::map<int, Lines> smoothed_lines_;                       // by parameter: per member
  mutable std::map<Index, std::shared_ptr<const Members>> smoothed_;  // by marginal
  mutable SmoothedLines lines_of_many_;
};

}  // namespace hone
