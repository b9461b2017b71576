#pragma once

#include <span>

#include "hone/core/matrix.h"

namespace hone {

// Integrated autocorrelation time of one coordinate of a Markov chain, in steps. chains (steps,
// walkers): walkers are averaged lag by lag, and the sum stops at the first lag beyond five times
// itself (Sokal's window). At least 1; a chain that never moves has the time of its length.
double autocorrelation_time(MatrixView<const double> chains);

// How many independent draws are worth as much: steps x walkers / autocorrelation time.
double effective_size(MatrixView<const double> chains);

// (sum w)^2 / sum w^2 of importance weights, which are not negative; 0 if all are 0.
double effective_size_of_weights(std::span<const double> weights);

}  // namespace hone
