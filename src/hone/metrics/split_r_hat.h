#pragma once

#include "hone/core/matrix.h"

namespace hone {

// Split R-hat (Gelman & Rubin; Gelman et al. 2013) of one coordinate of several Markov chains: each
// is cut in two, and the spread between the halves is compared with that inside them. 1 if all say
// the same; above 1.01 they do not yet. chains (steps, chains), at least 4 steps. Infinite if no
// chain moves but they differ, 1 if all values are equal.
double split_r_hat(MatrixView<const double> chains);

}  // namespace hone
