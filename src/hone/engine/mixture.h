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

  // As a transform of y (column_transform.h). Of the last y: the normal score of P(y); whether it
  // lies too far out to tell y from its neighbours; d log p / d y; and
  // d (3 K) += factor times the gradient of the score.
  double score();
  bool beyond() const { return beyond_; }
  double slope() const;
  void add_score_gradient(T* d, double factor) const;
  T inverse_score(double z) const;  // the y whose score is z

 private:
  // One Gaussian without ends: its score is (y - m) / s, however far out.
  bool is_affine() const { return size_ == 1 && !ends_; }
  T quantile(double probability) const;   // the y with P(y) = probability
  double place(Index k, double y) const;  // the part of component k below y
  using Numbers = std::array<T, kMostComponents>;

  Index size_;
  double lower_, upper_;
  bool ends_;
  Numbers weight_, log_weight_, mean_, scale_, log_scale_, slope_;
  std::array<NormalCut, kMostComponents> cuts_;  // of all components, if there are ends
  // Of the last y: w_k N(y; m_k, s_k) / Z_k over their sum for every k; (y - m) / s.
  Numbers part_, distance_;
  T y_ = 0;
  // Of the last score: places in all components, and it.
  std::array<double, kMostComponents> place_;
  double probability_ = 0, score_ = 0;
  bool beyond_ = false;
};

}  // namespace hone
