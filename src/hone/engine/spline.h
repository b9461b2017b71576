#pragma once

#include <array>

#include "hone/engine/column_density.h"
#include "hone/engine/cut_normal.h"

namespace hone {

// A flow in one variable: a Gaussian cut to an interval, whose distribution function a monotone
// rational-quadratic spline g of [0, 1] (Durkan et al. 2019) bends into any other,
//
//   p(y) = f(y) g'(F(y)),    f = N(y; m, s) / Z,    F(y) = integral of f from the lower end to y.
//
// K knots divide [0, 1] into K - 1 bins. 3 K outputs of a network: m, what s comes from
// (density_scale), logits of the widths and of the heights of the bins, and what the slopes at the
// K knots come from. With zeros for those of the spline g is the identity.
template <typename T>
class SplineRow {
 public:
  explicit SplineRow(const DensityShape& shape);

  void read(const T* outputs, double wider);  // one row of outputs
  T log_density(T y);
  // d (3 K) = factor times the gradient of log p(y), for the last y.
  void gradient(T* d, T factor) const;
  T draw(double uniform) const { return quantile(uniform); }

  // As those of MixtureRow: y as a normal score.
  double score();
  bool beyond() const { return beyond_; }
  double slope() const;
  void add_score_gradient(T* d, double factor) const;
  T inverse_score(double z) const { return quantile(normal_probability(z)); }

 private:
  using Numbers = std::array<double, kMostComponents>;
  struct Bin;  // what of a bin is needed at one place in it
  // d += the gradient by the logits of parts, of which `by_earlier` is that of all knots before the
  // last bin and `by_own` that of its own size.
  void add_parts_gradient(T* d, const Numbers& parts, double by_earlier, double by_own) const;
  Bin bin_at(Index k, double place) const;
  T quantile(double probability) const;

  Index bins_;
  double lower_, upper_;
  double mean_ = 0, scale_ = 1, scale_slope_ = 1;
  NormalCut cut_;                     // of the whole interval
  Numbers width_part_, height_part_;  // softmax of the logits
  Numbers left_, bottom_;             // (bins + 1): the knots
  Numbers slope_, slope_by_raw_;      // (bins + 1): at the knots
  // Of the last y: distance (y - m) / s, log f(y), F(y), and the bin that it lies in; its score.
  double y_ = 0, distance_ = 0, log_base_ = 0, place_ = 0, score_ = 0;
  bool beyond_ = false;
  Index bin_ = 0;
};

inline constexpr Index kFewestKnots = 2;

}  // namespace hone
