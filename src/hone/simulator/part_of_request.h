#pragma once

#include <span>

#include "hone/simulator/executor.h"

namespace hone {

// Some rows of a request as a request of their own, without what was known before.
SimulationRequest part_of(const SimulationRequest& request, std::span<const Index> rows);

}  // namespace hone
