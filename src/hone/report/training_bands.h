#pragma once

#include <span>
#include <string>
#include <vector>

#include "hone/engine/trainer.h"

namespace hone {

// The losses of many networks in one training, epoch by epoch: the median over the networks, and
// the band that holds 80 % of them. A network that has stopped keeps the loss of its best epoch.
struct LossBand {
  std::vector<double> low, median, high;
};

struct TrainingBands {
  std::string title;  // "round 2", "final"
  Index networks = 0, converged = 0, unfinished = 0, diverged = 0;
  LossBand training, validation;
};

TrainingBands training_bands(const std::string& title, std::span<const MemberHistory> histories);

}  // namespace hone
