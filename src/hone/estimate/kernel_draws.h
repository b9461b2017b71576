#pragma once

#include <span>

#include "hone/core/rng.h"
#include "hone/estimate/proposal_draws.h"

namespace hone {

// As many draws around points that have weights (n, parameters): from kernels on one in 16 of them,
// chosen by weight, in normal scores of the local coordinates, with the shape of the weighted
// points' covariance, half of them a quarter as wide, and from the uniform density (a tenth). Where
// a posterior has modes or bends that the densities of draw_proposals() do not follow, these do.
ProposalDraws draw_around(MatrixView<const float> local, std::span<const double> weights, Rng rng);

}  // namespace hone
