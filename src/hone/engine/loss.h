#pragma once

#include "hone/core/matrix.h"

namespace hone {

enum class LossKind {
  nre_a,  // binary cross entropy of joint against marginal pairs (Hermans et al. 2020)
  nre_b,  // softmax over the candidates (Durkan et al. 2020); fixes f up to a function of x
  nre_c,  // contrastive, NRE-B with a class for "none of them" (Miller et al. 2022)
};

struct LossOptions {
  LossKind kind = LossKind::nre_a;
  int negatives = 1;   // marginal thetas per x, M; in 1 .. 4096
  double gamma = 1;    // odds that a candidate set holds the joint theta, for nre_c; > 0
  double balance = 0;  // weight of (E_joint sigmoid(f) + E_marginal sigmoid(f) - 1)^2; >= 0

  void validate() const;
  bool operator==(const LossOptions&) const = default;
};

// Mean loss over `rows` data vectors. logits and dlogits are candidate-major, (candidates, rows):
// candidate 0 is the joint theta, the others (at least one) are negatives. dlogits, if not null, is
// overwritten with the gradient.
template <typename T>
double ratio_loss(T* dlogits, const T* logits, Index rows, Index candidates,
                  const LossOptions& options);

}  // namespace hone
