#pragma once

#include <array>

#include "hone/engine/column_density.h"
#include "hone/engine/cut_normal.h"

namespace hone {

// A mixture of K Gaussians in one variable, each cut to an interval:
//
//   p(y) = sum_k w_k N(y; m_k, s_k) / Z_k,
//   Z_k  = Phi((upper - m_k) / s_k) - Phi((lower - m_k) / s_k)
//
// as 3 K outputs of a network: logits of the weights w, means m, and numbers that scales come from
// (density_scale). In an interval no probability is lost outside of it, and a peak at its edge is
// the flank of a Gaussian; without ends Z_k is 1.
template <typename T>
class MixtureRow {
 public:
  explicit MixtureRow(const DensityShape& shape);

  void read(const T* outputs, double wider);  // one row of outputs
  T log_density(T y);
  // d (3 K) = factor times the gradient of log p(y), for the last y.
  void gradient(T* d, T factor) const;
  T draw(double uniform) const;

 private:
  using Numbers = std::array<T, kMostComponents>;

  Index size_;
  double lower_, upper_;
  bool ends_;
  Numbers weight_, mean_, scale_, log_scale_, slope_;
  std::array<NormalCut, kMostComponents> cuts_;  // of all components, if there are ends
  // Of the last y: log of w_k N(y; m_k, s_k) / Z_k for every k, and of their sum; (y - m) / s.
  Numbers log_, distance_;
  T log_sum_ = 0;
};

}  // namespace hone
