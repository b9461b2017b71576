#pragma once

#include "hone/engine/density_stack.h"
#include "hone/prior/truncated_prior.h"

namespace hone {

// Draws from a density of all parameters that covers a posterior and its tails.
struct ProposalDraws {
  Matrix<float> local;             // (n each, parameters): local coordinates
  std::vector<float> log_density;  // of each draw, with respect to them
};

// For every row of `features` `each` draws of
//
//   q(theta | x) = 0.6 p_1 + 0.2 p_2 + 0.1 p_4 + 0.1,
//
// where p_w is the posterior density of the stack (its member d: parameter d given those before it)
// with standard deviations w times as wide, and the last term the uniform density. Quasi-random
// points, the same for all rows.
ProposalDraws draw_proposals(const DensityStack& posterior, const TruncatedPrior& prior,
                             MatrixView<const float> features, Index each);

}  // namespace hone
