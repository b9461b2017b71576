#pragma once

#include "hone/bench/row.h"
#include "hone/core/version.h"

namespace hone {

// A row on sbibm's observations with these C2ST values.
inline BenchRow make_row(const std::string& task, Index budget, int observation, double c2st_1d,
                         double c2st_2d, std::uint64_t seed = 1) {
  BenchRow row;
  row.run = {.task = task,
             .budget = budget,
             .observation = observation,
             .seed = seed,
             .options = "",
             .reference = BenchCase::kSbibm};
  row.scores.simulations = budget;
  row.scores.rounds = 3;
  row.scores.c2st_1d = c2st_1d;
  row.scores.c2st_2d = c2st_2d;
  row.seconds = {0.5, 1, 0.25, 7};
  row.version = version();
  return row;
}

}  // namespace hone
