#pragma once

// Inside tasks/ only: samples of a posterior whose likelihood can be computed.

#include <functional>
#include <optional>
#include <span>

#include "hone/prior/prior.h"
#include "hone/tasks/student_mixture.h"

namespace hone {

struct PosteriorSamplerOptions {
  Index draws = 5000;   // a round
  int components = 16;  // of the proposal
};

// Independent draws from p(theta | x) by rejection from a proposal fitted to it beforehand.
//
// The proposal is a mixture in z, the normal quantile of u: there the prior is standard normal for
// every kind of distribution. It is fitted in rounds of importance sampling, to prior times
// likelihood to a power that rises from 0 to 1 as fast as the weights allow (adaptive tempering);
// modes are not lost as long as the first rounds, close to the prior, see them. A tenth of it is
// the prior itself, so that nothing is out of reach. Draws are exact where target / proposal stays
// below the bound, the largest of `draws` fresh ratios times 1.5: more draws, more exact.
class PosteriorSampler {
 public:
  using LogLikelihood = std::function<double(std::span<const double> theta)>;

  // An Error{numerical} of the likelihood counts as a likelihood of 0. Throws Error{numerical} if
  // the prior meets no likelihood at all or the power does not reach 1.
  PosteriorSampler(Prior prior, LogLikelihood log_likelihood, const Rng& rng,
                   PosteriorSamplerOptions options = {});

  void draw(std::span<double> theta, Rng& rng) const;

  // Share of effective draws among those of the last round: of proposals, 1 is perfect.
  double efficiency() const { return efficiency_; }

 private:
  struct Round {
    Matrix<double> z;
    std::vector<double> log_prior_over_proposal, log_likelihood;
  };

  void propose(std::span<double> z, Rng& rng) const;
  double log_prior_over_proposal(std::span<const double> z) const;
  double log_likelihood(std::span<const double> z) const;
  void to_theta(std::span<double> theta, std::span<const double> z) const;

  Round sample_round(const Rng& rng) const;
  void fit(const Round& round, double power, const Rng& rng);

  Prior prior_;
  LogLikelihood likelihood_;
  PosteriorSamplerOptions options_;
  std::optional<StudentMixture> mixture_;  // none: the prior alone
  double log_bound_ = 0;
  double efficiency_ = 0;
};

}  // namespace hone
