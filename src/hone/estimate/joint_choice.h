#pragma once

#include <span>
#include <vector>

#include "hone/estimate/evidence.h"

// Who answers for all parameters together: a density that was trained for it, or a likelihood that
// was estimated for the marginals, whose product with the prior needs no training.

namespace hone {

// The likelihoods that a posterior is, or is made of (combined_estimation.h), each as a posterior
// of all parameters.
std::vector<SharedPosterior> joint_likelihoods(const AmortizedPosterior& posterior);

// Nats of a simulation, and their standard error.
struct Gain {
  double mean = 0, error = 0;
};

// How much better `other` predicts the parameters of held-out simulations than `density` does.
//
// Each simulation is a question: which of 64 points is the truth, where the others are draws of
// the density q(theta | x)? A posterior p says the truth with probability w_0 / sum_j w_j, w = p /
// q at the points. That is a proper score, although p is known up to a constant only, and however
// few the points are. The density itself gives each of them the same chance: 64 times the
// probability is what is gained over it.
//
// Both have the marginal of all parameters, and it is the only one of the density.
Gain gain_over(const AmortizedPosterior& density, const AmortizedPosterior& other,
               const HeldOut& draws, const Rng& rng);

}  // namespace hone
