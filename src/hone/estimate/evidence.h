#pragma once

#include <span>
#include <vector>

#include "hone/estimate/simulations.h"
#include "hone/posterior/amortized_posterior.h"

// Which of several estimators should be believed, and how much: what they say about simulations
// that no weight of their networks was fitted to. (The best epoch of a network was chosen by them:
// one number per network, a small advantage.)

namespace hone {

// Simulations that were held out: data (n, columns) and local coordinates (n, parameters).
struct HeldOut {
  Matrix<float> x, local;
};
// Validation rows of the data, at most so many, evenly spread over them.
HeldOut held_out(const Dataset& data, Index most);

// Per simulation: log of the posterior density at its true parameters, in local coordinates, over
// the mean density on a lattice through them (hone/posterior/lattice.h). Given the lattice, that is
// the log probability of the point of it that is the truth: a proper score, however coarse it is.
std::vector<double> log_scores(const AmortizedPosterior& posterior, Index marginal,
                               const HeldOut& draws);

// (n, estimators) log scores of some estimators -> their shares w in the mixture of them that
// predicts best: the maximum of
//
//   sum_i log sum_k w_k exp(score_ik)  +  strength sum_k expected_k log w_k,
//
// by expectation maximisation. `expected` counts like so many simulations more.
std::vector<double> mixture_shares(MatrixView<const double> scores,
                                   std::span<const double> expected, double strength);

// Shares too small to change an answer become none.
void drop_small_shares(std::span<double> shares);

// Shares of the parts for every marginal, marginal by marginal. What all marginals of as many
// parameters say together is where each of them begins: few simulations tell little about one. A
// part without which all of them are predicted as well is left out: asking it takes time. So is one
// that is far behind for every marginal on the first few simulations: it is asked about no others.
std::vector<double> evidence_shares(const std::vector<SharedPosterior>& parts,
                                    const HeldOut& draws);

}  // namespace hone
