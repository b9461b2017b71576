#pragma once

#include <array>

#include "hone/engine/density_stack.h"
#include "hone/prior/truncated_prior.h"

namespace hone {

// Draws from a density of all parameters that covers a posterior and its tails.
struct ProposalDraws {
  Matrix<float> local;             // (n each, parameters): local coordinates
  std::vector<float> log_density;  // of each draw, with respect to them
};

// A proposal is a mixture of a density that is about that of the posterior, the same with wider
// standard deviations, for its tails, and the uniform density.
struct ProposalPart {
  double share, wider;  // wider 0: the uniform density
};
inline constexpr std::array<ProposalPart, 4> kProposalParts{
    {{0.6, 1}, {0.2, 2}, {0.1, 4}, {0.1, 0}}};
Index part_begin(std::size_t k, Index each);  // the first of the draws of part k, of `each`

// Points i = 1, 2, ... of an additive sequence in several dimensions (the generalised golden
// ratio): more even than random ones. (each, dimensions), in (0, 1).
Matrix<double> even_points(Index each, Index dimensions);

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
