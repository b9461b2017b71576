#pragma once

#include <span>
#include <vector>

#include "hone/estimate/proposal_draws.h"

namespace hone {

// A normal distribution of the parameters' normal scores, Phi^-1(local coordinate).
struct NormalScores {
  std::vector<double> mean;
  Matrix<double> root;  // L, lower triangle: the covariance is L L^T
};

// log density of the proposal of draw_normal(), in local coordinates, at these normal scores.
double log_normal_proposal(const NormalScores& posterior, std::span<const double> scores);

// What draw_proposals() gives for a density stack, for a normal posterior of every data vector.
ProposalDraws draw_normal(std::span<const NormalScores> posteriors, Index each);

}  // namespace hone
