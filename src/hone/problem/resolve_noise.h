#pragma once

#include <memory>

#include "hone/problem/noise_spec.h"

namespace hone {

// The noise that training adds, from what a run says and what its simulator brings (or null).
// Error{input} if both or neither have what the other expects, or if it makes another number of
// data. The simulator's own is not owned by the result.
std::shared_ptr<const NoiseModel> resolve_noise(const NoiseSpec& spec,
                                                const NoiseModel* of_simulator, Index parameters,
                                                Index data_size);

}  // namespace hone
