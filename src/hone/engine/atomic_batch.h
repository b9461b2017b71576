#pragma once

#include <span>
#include <vector>

#include "hone/engine/density_trainer.h"

namespace hone {

// The atomic loss (density_trainer.h) of one batch: from log densities of all atoms to it and to
// its gradient.
class AtomicBatch {
 public:
  // For `most` atoms, those of all rows counted.
  AtomicBatch(const AtomicLoss& loss, Index most);

  // candidates (atoms, rows): which row of theta each of them is.
  void start(std::span<const Index> candidates);
  // log[i] is a factor of q(theta | x) of atom first + i.
  void add(Index first, std::span<const float> log);
  // The loss of `rows`, after which dlog() has its gradient by log q of the atoms, if it is wanted.
  double loss(std::span<const Index> rows, bool with_gradient);
  std::span<const float> dlog() const { return dlogits_; }

 private:
  const AtomicLoss& loss_;
  std::vector<float> logits_, own_log_, dlogits_;  // (atoms, rows); (rows) in own_log_
};

}  // namespace hone
