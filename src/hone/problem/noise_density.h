#pragma once

#include <functional>
#include <span>

#include "hone/problem/noise_spec.h"

namespace hone {

// log p(x | noiseless part), normalised over x: the likelihood that noise gives.
using NoiseDensity =
    std::function<double(std::span<const float> x, std::span<const float> noiseless)>;

// Null where it is not known: no noise, noise of a library or of the simulator, a sigma of 0.
NoiseDensity noise_density(const NoiseSpec& spec, Index data_size);

}  // namespace hone
