#include "hone/engine/loss.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"

namespace hone {

void LossOptions::validate() const {
  if (negatives < 1 || negatives > 4096) {
    fail_value("loss.negatives", negatives, "must lie in 1 .. 4096");
  }
  if (!(gamma > 0) || !std::isfinite(gamma)) {
    fail_value("loss.gamma", gamma, "must be greater than 0");
  }
  if (!(balance >= 0) || !std::isfinite(balance)) {
    fail_value("loss.balance", balance, "must be 0 or greater");
  }
}

namespace {

template <typename T>
T sigmoid(T f) {
  return 1 / (1 + std::exp(-f));
}

// L = mean softplus(-f_0) + mean softplus(f_c)
template <typename T>
double binary_cross_entropy(T* dlogits, const T* logits, Index rows, Index candidates) {
  double joint = 0, marginal = 0;
  for (Index i = 0; i < rows * candidates; ++i) {
    const bool positive = i < rows;
    const T f = positive ? -logits[i] : logits[i];
    const T e = std::exp(-std::abs(f));  // softplus(f) = max(f, 0) + log(1 + exp(-|f|))
    (positive ? joint : marginal) += std::max(f, T(0)) + std::log1p(e);
    if (dlogits == nullptr) continue;
    const T s = (f < 0 ? e : T(1)) / (1 + e);
    dlogits[i] = positive ? -s / T(rows) : s / T(rows * (candidates - 1));
  }
  return joint / double(rows) + marginal / double(rows * (candidates - 1));
}

// log(offset + factor * sum_c exp f_c) over candidates first .. last - 1 of row i; adds
// weight * d/df to dlogits.
template <typename T>
double log_sum(T* dlogits, const T* logits, Index rows, Index i, Index first, Index last, T factor,
               T offset, T weight) {
  T largest = offset > 0 ? T(0) : logits[first * rows + i];
  for (Index c = first; c < last; ++c) largest = std::max(largest, logits[c * rows + i]);
  T sum = offset * std::exp(-largest);
  for (Index c = first; c < last; ++c) sum += factor * std::exp(logits[c * rows + i] - largest);
  if (dlogits != nullptr) {
    for (Index c = first; c < last; ++c) {
      dlogits[c * rows + i] += weight * factor * std::exp(logits[c * rows + i] - largest) / sum;
    }
  }
  return static_cast<double>(largest + std::log(sum));
}

// L = mean log sum_c exp f_c - f_0
template <typename T>
double softmax(T* dlogits, const T* logits, Index rows, Index candidates) {
  double loss = 0;
  for (Index i = 0; i < rows; ++i) {
    loss -= logits[i];
    if (dlogits != nullptr) dlogits[i] -= 1 / T(rows);
    loss += log_sum(dlogits, logits, rows, i, 0, candidates, T(1), T(0), 1 / T(rows));
  }
  return loss / double(rows);
}

// With K negatives, q(joint) = gamma exp f_0 / (K + gamma sum_{c < K} exp f_c) on the set that
// holds the joint theta and q(none) = K / (K + gamma sum_{c >= 1} exp f_c) on the one that does
// not: L = -gamma / (1 + gamma) mean log q(joint) - 1 / (1 + gamma) mean log q(none).
template <typename T>
double contrastive(T* dlogits, const T* logits, Index rows, Index candidates, double gamma) {
  const Index negatives = candidates - 1;
  const double joint = gamma / (1 + gamma), none = 1 / (1 + gamma);
  const T offset = T(negatives), factor = T(gamma);
  double loss = 0;
  for (Index i = 0; i < rows; ++i) {
    if (dlogits != nullptr) dlogits[i] -= T(joint) / T(rows);
    const double with =
        log_sum(dlogits, logits, rows, i, 0, negatives, factor, offset, T(joint) / T(rows));
    const double without =
        log_sum(dlogits, logits, rows, i, 1, candidates, factor, offset, T(none) / T(rows));
    loss += joint * (with - std::log(gamma) - double(logits[i]));
    loss += none * (without - std::log(double(negatives)));
  }
  return loss / double(rows);
}

// lambda (mean sigmoid(f_0) + mean sigmoid(f_c) - 1)^2, Delaunoy et al. 2022
template <typename T>
double balancing(T* dlogits, const T* logits, Index rows, Index candidates, double lambda) {
  const double marginals = double(rows * (candidates - 1));
  double sum = -1;
  for (Index i = 0; i < rows * candidates; ++i) {
    sum += double(sigmoid(logits[i])) / (i < rows ? double(rows) : marginals);
  }
  if (dlogits != nullptr) {
    for (Index i = 0; i < rows * candidates; ++i) {
      const double s = double(sigmoid(logits[i]));
      dlogits[i] += T(2 * lambda * sum * s * (1 - s) / (i < rows ? double(rows) : marginals));
    }
  }
  return lambda * sum * sum;
}

}  // namespace

template <typename T>
double ratio_loss(T* dlogits, const T* logits, Index rows, Index candidates,
                  const LossOptions& options) {
  HONE_ASSERT(rows >= 1 && candidates >= 2);
  if (dlogits != nullptr) std::fill(dlogits, dlogits + rows * candidates, T(0));
  double loss = 0;
  switch (options.kind) {
    case LossKind::nre_a: loss = binary_cross_entropy(dlogits, logits, rows, candidates); break;
    case LossKind::nre_b: loss = softmax(dlogits, logits, rows, candidates); break;
    case LossKind::nre_c:
      loss = contrastive(dlogits, logits, rows, candidates, options.gamma);
      break;
  }
  if (options.balance > 0) {
    loss += balancing(dlogits, logits, rows, candidates, options.balance);
  }
  return loss;
}

template double ratio_loss(float*, const float*, Index, Index, const LossOptions&);
template double ratio_loss(double*, const double*, Index, Index, const LossOptions&);

}  // namespace hone
