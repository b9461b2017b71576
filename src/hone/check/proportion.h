#pragma once

#include <utility>

#include "hone/core/matrix.h"

namespace hone {

// Credible interval of a probability of which k of n trials were successes, under Jeffreys' prior
// Beta(1/2, 1/2). The end is 0 or 1 where k is 0 or n, as usual: coverage then holds there too.
std::pair<double, double> jeffreys_interval(Index k, Index n, double level);

// P(K <= k) and P(K >= k) for K ~ Binomial(n, p).
double probability_at_most(Index k, Index n, double p);
double probability_at_least(Index k, Index n, double p);

// P(|Z| <= z) of a standard normal, and the z of a given level (infinite at 1).
double level_of_z(double z);
double z_of_level(double level);

// P(X >= x) of a chi-squared variable.
double chi_squared_above(double x, double degrees);

// P(Z >= z) of a standard normal.
double normal_above(double z);

}  // namespace hone
