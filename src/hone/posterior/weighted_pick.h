#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"

namespace hone {

// Draws by index, with weights as probabilities.
class WeightedPick {
 public:
  explicit WeightedPick(std::span<const double> weights) : cumulative_(weights.size()) {
    std::partial_sum(weights.begin(), weights.end(), cumulative_.begin());
  }
  double total() const { return cumulative_.back(); }
  Index operator()(Rng& rng) const {
    const auto at = std::ranges::upper_bound(cumulative_, rng.uniform() * total());
    return std::min<Index>(at - cumulative_.begin(), std::ssize(cumulative_) - 1);
  }

 private:
  std::vector<double> cumulative_;
};

}  // namespace hone
