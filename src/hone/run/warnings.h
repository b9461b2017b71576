#pragma once

#include "hone/inference/method.h"
#include "hone/posterior/summary.h"

namespace hone {

// `parameters` of all 1-d marginals that were trained, and `failed` simulations.
std::vector<Warning> find_warnings(const InferenceResult& result,
                                   const std::vector<ParameterSummary>& parameters, Index failed,
                                   std::span<const double> observation);

}  // namespace hone
