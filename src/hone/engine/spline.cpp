#include "hone/engine/spline.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"

namespace hone {
namespace {

// A narrower or lower bin, or a flatter knot, would be noise of a few simulations.
constexpr double kLeastPart = 1e-3, kLeastSlope = 1e-3;

double softplus(double r) {
  return std::max(r, 0.0) + std::log1p(std::exp(-std::abs(r)));
}
double sigmoid(double r) {
  return 1 / (1 + std::exp(-r));
}

// parts = softmax(logits); knots from 0 to 1, at least kLeastPart apart.
template <typename T, typename Numbers>
void read_knots(Numbers& parts, Numbers& knots, const T* logits, Index bins) {
  double peak = static_cast<double>(logits[0]), sum = 0;
  for (Index k = 1; k < bins; ++k) peak = std::max(peak, static_cast<double>(logits[k]));
  for (Index k = 0; k < bins; ++k) {
    sum += parts[k] = std::exp(static_cast<double>(logits[k]) - peak);
  }
  const double free = 1 - kLeastPart * static_cast<double>(bins);
  knots[0] = 0;
  for (Index k = 0; k < bins; ++k) {
    parts[k] /= sum;
    knots[k + 1] = knots[k] + kLeastPart + free * parts[k];
  }
  knots[bins] = 1;
}

// The last bin that begins at or before `value`.
template <typename Numbers>
Index find_bin(const Numbers& knots, double value, Index bins) {
  Index k = 0;
  while (k + 1 < bins && value >= knots[k + 1]) ++k;
  return k;
}

}  // namespace

// At xi = (u - left) / width of a bin, with delta = height / width:
//
//   g' = delta^2 N / D^2,   N = d_1 xi^2 + 2 delta q + d_0 (1 - xi)^2,   D = delta + S q,
//   q = xi (1 - xi),   S = d_0 + d_1 - 2 delta.
template <typename T>
struct SplineRow<T>::Bin {
  double width, delta, d0, d1, xi, q, s, n, d;

  double steepness() const { return delta * delta * n / (d * d); }  // g'
  double log_steepness_by_xi() const {
    return 2 * (d1 * xi + delta * (1 - 2 * xi) - d0 * (1 - xi)) / n - 2 * s * (1 - 2 * xi) / d;
  }
  double risen() const { return (delta * xi * xi + d0 * q) / d; }  // part of the height below xi
};

template <typename T>
SplineRow<T>::SplineRow(const DensityShape& shape)
    : bins_(shape.components - 1), lower_(shape.lower), upper_(shape.upper) {
  HONE_ASSERT(shape.components >= kFewestKnots && shape.components <= kMostComponents);
}

template <typename T>
void SplineRow<T>::read(const T* outputs, double wider) {
  mean_ = static_cast<double>(outputs[0]);
  const DensityScale<double> s = density_scale(static_cast<double>(outputs[1]), std::log(wider));
  scale_ = s.scale;
  scale_slope_ = s.slope;
  cut_ = cut_normal((lower_ - mean_) / scale_, (upper_ - mean_) / scale_);
  read_knots(width_part_, left_, outputs + 2, bins_);
  read_knots(height_part_, bottom_, outputs + 2 + bins_, bins_);
  const double one = std::log(std::expm1(1 - kLeastSlope));  // a raw 0 is a slope of 1
  for (Index k = 0; k <= bins_; ++k) {
    const double raw = static_cast<double>(outputs[2 + 2 * bins_ + k]) + one;
    slope_[k] = kLeastSlope + softplus(raw);
    slope_by_raw_[k] = sigmoid(raw);
  }
}

template <typename T>
typename SplineRow<T>::Bin SplineRow<T>::bin_at(Index k, double place) const {
  const double width = left_[k + 1] - left_[k], delta = (bottom_[k + 1] - bottom_[k]) / width;
  const double xi = std::clamp((place - left_[k]) / width, 0.0, 1.0), q = xi * (1 - xi);
  const double d0 = slope_[k], d1 = slope_[k + 1], s = d0 + d1 - 2 * delta;
  return {width,        delta, d0, d1,
          xi,           q,     s,  d1 * xi * xi + 2 * delta * q + d0 * (1 - xi) * (1 - xi),
          delta + s * q};
}

template <typename T>
T SplineRow<T>::log_density(T y) {
  y_ = static_cast<double>(y);
  distance_ = (y_ - mean_) / scale_;
  const double low = (lower_ - mean_) / scale_;
  place_ = distance_ > low
               ? std::min(std::exp(cut_normal(low, distance_).log_mass - cut_.log_mass), 1.0)
               : 0;
  bin_ = find_bin(left_, place_, bins_);
  const Bin b = bin_at(bin_, place_);
  log_base_ = -0.5 * distance_ * distance_ - kHalfLogTwoPi - std::log(scale_) - cut_.log_mass;
  return static_cast<T>(log_base_ + 2 * std::log(b.delta / b.d) + std::log(b.n));
}

template <typename T>
void SplineRow<T>::gradient(T* d, T factor) const {
  const Bin b = bin_at(bin_, place_);
  const double share = static_cast<double>(factor);
  const auto bins = static_cast<std::size_t>(bins_);
  // Of log g' by delta, xi and the slopes at both knots.
  const double by_delta = 2 / b.delta + 2 * b.q / b.n - 2 * (1 - 2 * b.q) / b.d;
  const double by_xi = b.log_steepness_by_xi();
  const double by_d0 = (1 - b.xi) * (1 - b.xi) / b.n - 2 * b.q / b.d;
  const double by_d1 = b.xi * b.xi / b.n - 2 * b.q / b.d;

  // Of log p by mean and log scale: of log f, and of F(y) in log g'.
  const auto moment = [&](double end, double at) {
    return at == 0 ? 0 : (end - mean_) / scale_ * at;
  };
  const double low = moment(lower_, cut_.at_low), high = moment(upper_, cut_.at_high);
  const double mass_by_mean = cut_.at_low - cut_.at_high, mass_by_scale = low - high;
  const PlaceSlopes slopes_of_place = place_slopes(y_, place_, mean_, scale_, lower_, upper_, cut_);
  const double by_place = by_xi / b.width;
  d[0] = static_cast<T>(share *
                        ((distance_ - mass_by_mean) / scale_ + by_place * slopes_of_place.by_mean));
  d[1] = static_cast<T>(
      share * scale_slope_ *
      (distance_ * distance_ - 1 - mass_by_scale + by_place * slopes_of_place.by_log_scale));

  // Of log g' by the widths: those of bins before this one move its left knot. By the heights: of
  // this bin alone.
  const double by_own_width = -(by_delta * b.delta + by_xi * b.xi) / b.width;
  const double free = 1 - kLeastPart * static_cast<double>(bins_);
  double mean_by_width = 0;
  for (Index k = 0; k <= bin_; ++k) {
    mean_by_width += width_part_[k] * (k < bin_ ? -by_place : by_own_width);
  }
  const double by_height = by_delta / b.width;
  T* heights = d + 2 + bins;
  T* slopes = heights + bins;
  for (Index k = 0; k < bins_; ++k) {
    const double by_width = k < bin_ ? -by_place : k == bin_ ? by_own_width : 0;
    const double height = (k == bin_ ? by_height : 0) - height_part_[bin_] * by_height;
    d[2 + k] = static_cast<T>(share * free * width_part_[k] * (by_width - mean_by_width));
    heights[k] = static_cast<T>(share * free * height_part_[k] * height);
  }
  std::fill(slopes, slopes + bins_ + 1, T(0));
  slopes[bin_] = static_cast<T>(share * by_d0 * slope_by_raw_[bin_]);
  slopes[bin_ + 1] = static_cast<T>(share * by_d1 * slope_by_raw_[bin_ + 1]);
}

// The spline backwards, by the root of a quadratic, then the Gaussian.
template <typename T>
T SplineRow<T>::quantile(double uniform) const {
  const Index k = find_bin(bottom_, uniform, bins_);
  const Bin b = bin_at(k, left_[k]);
  const double height = b.delta * b.width, above = uniform - bottom_[k];
  const double square = height * (b.delta - b.d0) + above * b.s;
  const double linear = height * b.d0 - above * b.s, constant = -b.delta * above;
  const double root = std::sqrt(std::max(linear * linear - 4 * square * constant, 0.0));
  const double xi = std::clamp(2 * constant / (-linear - root), 0.0, 1.0);
  const double place = std::clamp(left_[k] + xi * b.width, 1e-12, 1 - 1e-12);
  const double t = cut_normal_quantile(place, (lower_ - mean_) / scale_, (upper_ - mean_) / scale_);
  return static_cast<T>(std::clamp(mean_ + scale_ * t, lower_, upper_));
}

template <typename T>
double SplineRow<T>::score() {
  const Bin b = bin_at(bin_, place_);
  const double probability = bottom_[bin_] + b.delta * b.width * b.risen();
  beyond_ = probability <= kLeastTail || probability >= 1 - kLeastTail;
  return score_ = normal_score(probability);
}

template <typename T>
double SplineRow<T>::slope() const {
  const Bin b = bin_at(bin_, place_);
  return -distance_ / scale_ + b.log_steepness_by_xi() / b.width * std::exp(log_base_);
}

template <typename T>
void SplineRow<T>::add_parts_gradient(T* d, const Numbers& parts, double by_earlier,
                                      double by_own) const {
  const double free = 1 - kLeastPart * static_cast<double>(bins_);
  double mean = parts[bin_] * by_own;
  for (Index k = 0; k < bin_; ++k) mean += parts[k] * by_earlier;
  for (Index k = 0; k < bins_; ++k) {
    const double by_part = k < bin_ ? by_earlier : k == bin_ ? by_own : 0;
    d[k] += static_cast<T>(free * parts[k] * (by_part - mean));
  }
}

// P(y) = bottom + h G(xi), with h the height of the bin and G what has risen of it at xi.
template <typename T>
void SplineRow<T>::add_score_gradient(T* d, double factor) const {
  const Bin b = bin_at(bin_, place_);
  const double by_probability = factor * std::exp(0.5 * score_ * score_ + kHalfLogTwoPi);
  const double height = b.delta * b.width, risen = b.risen();
  const double by_place = by_probability * b.steepness();
  const double by_delta = by_probability * height * (b.xi * b.xi - risen * (1 - 2 * b.q)) / b.d;
  const PlaceSlopes slopes_of_place = place_slopes(y_, place_, mean_, scale_, lower_, upper_, cut_);
  d[0] += static_cast<T>(by_place * slopes_of_place.by_mean);
  d[1] += static_cast<T>(by_place * slopes_of_place.by_log_scale * scale_slope_);
  add_parts_gradient(d + 2, width_part_, -by_place,
                     -by_place * b.xi - by_delta * b.delta / b.width);
  add_parts_gradient(d + 2 + bins_, height_part_, by_probability,
                     by_probability * risen + by_delta / b.width);
  T* slopes = d + 2 + 2 * bins_ + bin_;
  const double by_slope = by_probability * height * b.q / b.d;
  slopes[0] += static_cast<T>(by_slope * (1 - risen) * slope_by_raw_[bin_]);
  slopes[1] -= static_cast<T>(by_slope * risen * slope_by_raw_[bin_ + 1]);
}

template class SplineRow<float>;
template class SplineRow<double>;

}  // namespace hone
