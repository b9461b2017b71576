#include "hone/engine/atomic_batch.h"

#include <algorithm>

#include "hone/engine/loss.h"

namespace hone {

AtomicBatch::AtomicBatch(const AtomicLoss& loss, Index most) : loss_(loss) {
  for (auto* values : {&logits_, &own_log_, &dlogits_}) {
    values->reserve(static_cast<std::size_t>(most));
  }
}

void AtomicBatch::start(std::span<const Index> candidates) {
  logits_.resize(candidates.size());
  dlogits_.resize(candidates.size());
  own_log_.assign(candidates.size() / static_cast<std::size_t>(loss_.atoms), 0.0F);
  for (std::size_t r = 0; r < candidates.size(); ++r) {
    logits_[r] = -loss_.log_prior[static_cast<std::size_t>(candidates[r])];
  }
}

void AtomicBatch::add(Index first, std::span<const float> log) {
  for (std::size_t i = 0; i < log.size(); ++i) {
    const std::size_t r = static_cast<std::size_t>(first) + i;
    logits_[r] += log[i];
    if (r < own_log_.size()) own_log_[r] += log[i];
  }
}

// Of rows that follow the prior, -log q comes on top.
double AtomicBatch::loss(std::span<const Index> rows, bool with_gradient) {
  const Index n = std::ssize(rows);
  float* const dlogits = with_gradient ? dlogits_.data() : nullptr;
  double sum = 0;
  if (loss_.atoms > 1) {
    sum = ratio_loss<float>(dlogits, logits_.data(), n, loss_.atoms, {.kind = LossKind::nre_b});
  } else if (dlogits != nullptr) {
    std::fill(dlogits, dlogits + n, 0.0F);
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (!loss_.from_prior[static_cast<std::size_t>(rows[r])]) continue;
    sum -= static_cast<double>(own_log_[r]) / static_cast<double>(n);
    if (dlogits != nullptr) dlogits[r] -= 1 / static_cast<float>(n);
  }
  return sum;
}

}  // namespace hone
