#include "hone/engine/mixture.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"

namespace hone {

template <typename T>
MixtureRow<T>::MixtureRow(const DensityShape& shape)
    : size_(shape.components),
      lower_(shape.lower),
      upper_(shape.upper),
      ends_(std::isfinite(shape.lower) || std::isfinite(shape.upper)) {
  HONE_ASSERT(size_ >= 1 && size_ <= kMostComponents);
}

template <typename T>
void MixtureRow<T>::read(const T* outputs, double wider) {
  const T log_wider = static_cast<T>(std::log(wider));
  T peak = outputs[0], sum = 0;
  for (Index k = 1; k < size_; ++k) peak = std::max(peak, outputs[k]);
  for (Index k = 0; k < size_; ++k) sum += weight_[k] = std::exp(outputs[k] - peak);
  const T log_sum = std::log(sum);
  for (Index k = 0; k < size_; ++k) {
    weight_[k] /= sum;
    log_weight_[k] = outputs[k] - peak - log_sum;
    mean_[k] = outputs[size_ + k];
    const DensityScale<T> s = density_scale(outputs[2 * size_ + k], log_wider);
    scale_[k] = s.scale;
    log_scale_[k] = s.log;
    slope_[k] = s.slope;
    if (!ends_) continue;
    const double mean = static_cast<double>(mean_[k]), scale = static_cast<double>(s.scale);
    cuts_[k] = cut_normal((lower_ - mean) / scale, (upper_ - mean) / scale);
  }
}

template <typename T>
T MixtureRow<T>::log_density(T y) {
  y_ = y;
  T peak = -std::numeric_limits<T>::infinity();
  for (Index k = 0; k < size_; ++k) {
    distance_[k] = (y - mean_[k]) / scale_[k];
    part_[k] = log_weight_[k] - T(0.5) * distance_[k] * distance_[k] - log_scale_[k] -
               static_cast<T>(kHalfLogTwoPi);
    if (ends_) {
      // Far outside both are large and nearly cancel: doubles.
      const double t =
          (static_cast<double>(y) - static_cast<double>(mean_[k])) / static_cast<double>(scale_[k]);
      part_[k] = log_weight_[k] - log_scale_[k] +
                 static_cast<T>(-0.5 * t * t - kHalfLogTwoPi - cuts_[k].log_mass);
    }
    peak = std::max(peak, part_[k]);
  }
  T sum = 0;
  for (Index k = 0; k < size_; ++k) sum += part_[k] = std::exp(part_[k] - peak);
  for (Index k = 0; k < size_; ++k) part_[k] /= sum;
  return peak + std::log(sum);
}

template <typename T>
void MixtureRow<T>::gradient(T* d, T factor) const {
  for (Index k = 0; k < size_; ++k) {
    const T part = part_[k];
    T by_mean = distance_[k] / scale_[k];
    T by_log_scale = distance_[k] * distance_[k] - 1;
    if (ends_) {
      const double mean = static_cast<double>(mean_[k]), scale = static_cast<double>(scale_[k]);
      const auto moment = [&](double end, double at) {
        return at == 0 ? 0 : (end - mean) / scale * at;
      };
      const NormalCut& cut = cuts_[k];
      by_mean -= static_cast<T>((cut.at_low - cut.at_high) / scale);
      by_log_scale -= static_cast<T>(moment(lower_, cut.at_low) - moment(upper_, cut.at_high));
    }
    d[k] = factor * (part - weight_[k]);
    d[size_ + k] = factor * part * by_mean;
    d[2 * size_ + k] = factor * part * by_log_scale * slope_[k];
  }
}

// The uniform number chooses a component; what is left of it, the place in that component.
template <typename T>
T MixtureRow<T>::draw(double uniform) const {
  double rest = uniform;
  Index k = 0;
  for (; k + 1 < size_ && rest >= static_cast<double>(weight_[k]); ++k) {
    rest -= static_cast<double>(weight_[k]);
  }
  while (k > 0 && weight_[k] == 0) --k;  // rounding led past the last one that counts
  const double mean = static_cast<double>(mean_[k]), scale = static_cast<double>(scale_[k]);
  const double place = std::clamp(rest / static_cast<double>(weight_[k]), 1e-12, 1 - 1e-12);
  const double t = cut_normal_quantile(place, (lower_ - mean) / scale, (upper_ - mean) / scale);
  return static_cast<T>(std::clamp(mean + scale * t, lower_, upper_));
}

template <typename T>
double MixtureRow<T>::place(Index k, double y) const {
  const double mean = static_cast<double>(mean_[k]), scale = static_cast<double>(scale_[k]);
  const double t = (y - mean) / scale;
  if (!ends_) return normal_probability(t);
  const double low = (lower_ - mean) / scale;
  if (t <= low) return 0;
  return std::min(std::exp(cut_normal(low, t).log_mass - cuts_[k].log_mass), 1.0);
}

template <typename T>
double MixtureRow<T>::score() {
  if (is_affine()) return score_ = static_cast<double>(distance_[0]);
  probability_ = 0;
  for (Index k = 0; k < size_; ++k) {
    place_[k] = place(k, static_cast<double>(y_));
    probability_ += static_cast<double>(weight_[k]) * place_[k];
  }
  beyond_ = probability_ <= kLeastTail || probability_ >= 1 - kLeastTail;
  return score_ = normal_score(probability_);
}

template <typename T>
double MixtureRow<T>::slope() const {
  T sum = 0;
  for (Index k = 0; k < size_; ++k) {
    sum -= part_[k] * distance_[k] / scale_[k];
  }
  return static_cast<double>(sum);
}

template <typename T>
void MixtureRow<T>::add_score_gradient(T* d, double factor) const {
  if (is_affine()) {
    d[1] -= static_cast<T>(factor) / scale_[0];
    d[2] -= static_cast<T>(factor) * distance_[0] * slope_[0];
    return;
  }
  // From P(y) to its score: dz = dP / phi(z).
  const double by_place = factor * std::exp(0.5 * score_ * score_ + kHalfLogTwoPi);
  for (Index k = 0; k < size_; ++k) {
    const double part = by_place * static_cast<double>(weight_[k]);
    const PlaceSlopes slopes =
        place_slopes(static_cast<double>(y_), place_[k], static_cast<double>(mean_[k]),
                     static_cast<double>(scale_[k]), lower_, upper_, cuts_[k]);
    d[k] += static_cast<T>(part * (place_[k] - probability_));
    d[size_ + k] += static_cast<T>(part * slopes.by_mean);
    d[2 * size_ + k] += static_cast<T>(part * slopes.by_log_scale) * slope_[k];
  }
}

template <typename T>
T MixtureRow<T>::inverse_score(double z) const {
  if (is_affine()) return mean_[0] + scale_[0] * static_cast<T>(z);
  return quantile(std::clamp(normal_probability(z), kLeastTail, 1 - kLeastTail));
}

// Between the quantiles of the components P rises from below to above the probability: bisection.
template <typename T>
T MixtureRow<T>::quantile(double probability) const {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (Index k = 0; k < size_; ++k) {
    const double mean = static_cast<double>(mean_[k]), scale = static_cast<double>(scale_[k]);
    const double y = mean + scale * cut_normal_quantile(probability, (lower_ - mean) / scale,
                                                        (upper_ - mean) / scale);
    low = std::min(low, y);
    high = std::max(high, y);
  }
  constexpr int kHalvings = 40;  // from hundreds of scales to below the rounding of a float
  for (int i = 0; i < kHalvings && size_ > 1; ++i) {
    const double middle = 0.5 * (low + high);
    double below = 0;
    for (Index k = 0; k < size_; ++k) below += static_cast<double>(weight_[k]) * place(k, middle);
    (below < probability ? low : high) = middle;
  }
  return static_cast<T>(std::clamp(0.5 * (low + high), lower_, upper_));
}

template class MixtureRow<float>;
template class MixtureRow<double>;

}  // namespace hone
