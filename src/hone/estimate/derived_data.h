#pragma once

#include "hone/estimate/simulations.h"

namespace hone {

// The same simulations with a column of local coordinates for each quantity that the prior derives
// from its parameters, on the axes of with_derived_axes(). Quantities depend on each other, so
// negatives are uniform points, as many as there are simulations: the ratio is then the posterior
// density in local coordinates itself.
Dataset with_derived(Dataset data, const Rng& rng);

}  // namespace hone
