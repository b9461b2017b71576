#pragma once

#include <string>
#include <string_view>

#include "hone/core/matrix.h"

namespace hone::cli {

struct ProgressState {
  std::string_view context;  // "round 2, prior mass 0.209"
  std::string_view stage;    // "simulate"
  Index done = 0, total = 0;
  double per_second = 0;  // 0: not known yet
};

// One line of at most `width` columns:
//   round 2, prior mass 0.209  simulate [####......]  4100/9610     12k/s     0:01 left
// What does not fit is left out: first the count, then the rate, the time, the bar with the
// context. Nothing moves but what changes.
std::string progress_line(const ProgressState& state, int width);

}  // namespace hone::cli
