#pragma once

#include <string>

#include "hone/check/check_run.h"

namespace hone {

// Simulations that no network was trained on, and some that were, to compare with.
struct RunDraws {
  std::string from;
  Matrix<float> x, reference_x;    // (n, data size)
  Matrix<double> local;            // (n, parameters) of x
  Matrix<double> reference_local;  // of reference_x
};

RunDraws find_draws(const RunDirectory& run, const Region& region, const CheckOptions& options,
                    Executor* executor, Observer& observer);

}  // namespace hone
