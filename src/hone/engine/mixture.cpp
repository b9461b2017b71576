#include "hone/engine/mixture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <boost/math/special_functions/erf.hpp>

#include "hone/core/error.h"

namespace hone {
namespace {

// Wider than this the part of a Gaussian in an interval is lost in rounding.
constexpr double kWidestLogScale = 5;
constexpr double kHalfLogTwoPi = 0.91893853320467274178;

double density(double t) {  // phi(t)
  return std::exp(-0.5 * t * t - kHalfLogTwoPi);
}
double below(double t) {  // Phi(t)
  return 0.5 * std::erfc(-t / std::numbers::sqrt2);
}
double quantile(double p) {
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * std::clamp(p, 1e-300, 1 - 1e-16));
}

// Phi(t) / phi(t) for t below -30, to 2e-10.
double tail(double t) {
  const double s = 1 / (t * t);
  return (1 - s * (1 - 3 * s * (1 - 5 * s))) / -t;
}

// log Z of the standard normal between a and b, and phi(a) / Z, phi(b) / Z.
struct Cut {
  double log_mass = 0, at_low = 0, at_high = 0;
};

Cut cut(double a, double b) {
  if (a < -8.5 && b > 8.5) return {};  // Z = 1 to the last bit
  if (a > 0) {                         // mirrored, so that the tails below carry the precision
    const Cut mirrored = cut(-b, -a);
    return {mirrored.log_mass, mirrored.at_high, mirrored.at_low};
  }
  if (b > -30) {
    const double mass = b < 0 ? below(b) - below(a) : 1 - below(a) - below(-b);
    return {std::log(mass), density(a) / mass, density(b) / mass};
  }
  // phi(a) over phi(b), which would underflow by itself.
  const double less = std::exp(-0.5 * (a - b) * (a + b));
  const double mass = tail(b) - less * tail(a);
  return {-0.5 * b * b - kHalfLogTwoPi + std::log(mass), less / mass, 1 / mass};
}

template <typename T>
struct Components {
  explicit Components(Index count) : size(count) { HONE_ASSERT(count <= kMostComponents); }

  Index size;
  std::array<T, kMostComponents> weight, mean, scale, log_scale, slope;  // slope: d log s / d r

  // `outputs`: one row.
  void read(const T* outputs, double wider) {
    const T floor = static_cast<T>(std::log(kNarrowestScale));
    const T extra = static_cast<T>(std::log(wider));
    T peak = outputs[0], sum = 0;
    for (Index k = 1; k < size; ++k) peak = std::max(peak, outputs[k]);
    for (Index k = 0; k < size; ++k) sum += weight[k] = std::exp(outputs[k] - peak);
    for (Index k = 0; k < size; ++k) {
      weight[k] /= sum;
      mean[k] = outputs[size + k];
      const bool widest = outputs[2 * size + k] > static_cast<T>(kWidestLogScale);
      const T raw = widest ? static_cast<T>(kWidestLogScale) : outputs[2 * size + k];
      const T above = raw - floor, e = std::exp(-std::abs(above));
      log_scale[k] = floor + extra + std::max(above, T(0)) + std::log1p(e);
      scale[k] = std::exp(log_scale[k]);
      slope[k] = widest ? T(0) : above > 0 ? 1 / (1 + e) : e / (1 + e);
    }
  }
};

// log of w_k N(y; m_k, s_k) / Z_k for every k, and of their sum.
template <typename T>
struct Terms {
  std::array<T, kMostComponents> log, distance;  // distance: (y - m) / s
  T log_sum = 0;

  void set(const Components<T>& c, std::span<const Cut> cuts, T y) {
    T peak = -std::numeric_limits<T>::infinity();
    for (Index k = 0; k < c.size; ++k) {
      distance[k] = (y - c.mean[k]) / c.scale[k];
      log[k] = std::log(c.weight[k]) - T(0.5) * distance[k] * distance[k] - c.log_scale[k] -
               static_cast<T>(kHalfLogTwoPi);
      if (!cuts.empty()) {
        // Far outside both are large and nearly cancel: doubles.
        const double t = (static_cast<double>(y) - static_cast<double>(c.mean[k])) /
                         static_cast<double>(c.scale[k]);
        log[k] = std::log(c.weight[k]) - c.log_scale[k] +
                 static_cast<T>(-0.5 * t * t - kHalfLogTwoPi - cuts[std::size_t(k)].log_mass);
      }
      peak = std::max(peak, log[k]);
    }
    T sum = 0;
    for (Index k = 0; k < c.size; ++k) sum += std::exp(log[k] - peak);
    log_sum = peak + std::log(sum);
  }
};

// The cuts of all components at the ends of the interval; none without ends.
template <typename T>
class Cuts {
 public:
  explicit Cuts(const MixtureShape& shape)
      : lower_(shape.lower),
        upper_(shape.upper),
        ends_(std::isfinite(shape.lower) || std::isfinite(shape.upper)) {}

  std::span<const Cut> of(const Components<T>& c) {
    if (!ends_) return {};
    for (Index k = 0; k < c.size; ++k) {
      const double mean = static_cast<double>(c.mean[k]), scale = static_cast<double>(c.scale[k]);
      cuts_[k] = cut((lower_ - mean) / scale, (upper_ - mean) / scale);
    }
    return {cuts_.data(), static_cast<std::size_t>(c.size)};
  }

  // Derivatives of log Z by the mean and by the log of the scale.
  double by_mean(Index k, T scale) const {
    return (cuts_[k].at_low - cuts_[k].at_high) / static_cast<double>(scale);
  }
  double by_log_scale(Index k, T mean, T scale) const {
    const auto moment = [&](double end, double at) {
      return at == 0 ? 0 : (end - static_cast<double>(mean)) / static_cast<double>(scale) * at;
    };
    return moment(lower_, cuts_[k].at_low) - moment(upper_, cuts_[k].at_high);
  }

 private:
  double lower_, upper_;
  bool ends_;
  std::array<Cut, kMostComponents> cuts_;
};

}  // namespace

template <typename T>
double mixture_loss(T* doutputs, const T* outputs, const T* y, Index rows,
                    const MixtureShape& shape) {
  Components<T> c(shape.components);
  Terms<T> terms;
  Cuts<T> cuts(shape);
  double sum = 0;
  const T share = -1 / static_cast<T>(rows);
  for (Index i = 0; i < rows; ++i) {
    c.read(outputs + i * shape.stride, 1);
    const std::span<const Cut> cut_now = cuts.of(c);
    terms.set(c, cut_now, y[i]);
    sum -= static_cast<double>(terms.log_sum);
    if (doutputs == nullptr) continue;
    T* d = doutputs + i * shape.stride;
    for (Index k = 0; k < c.size; ++k) {
      const T part = std::exp(terms.log[k] - terms.log_sum);  // of component k in p(y)
      T by_mean = terms.distance[k] / c.scale[k];
      T by_log_scale = terms.distance[k] * terms.distance[k] - 1;
      if (!cut_now.empty()) {
        by_mean -= static_cast<T>(cuts.by_mean(k, c.scale[k]));
        by_log_scale -= static_cast<T>(cuts.by_log_scale(k, c.mean[k], c.scale[k]));
      }
      d[k] = share * (part - c.weight[k]);
      d[c.size + k] = share * part * by_mean;
      d[2 * c.size + k] = share * part * by_log_scale * c.slope[k];
    }
    std::fill(d + 3 * c.size, d + shape.stride, T(0));
  }
  return sum / static_cast<double>(rows);
}

template <typename T>
void wider_mixture_log_density(T* out, const T* outputs, const T* y, Index rows,
                               const MixtureShape& shape, double wider) {
  Components<T> c(shape.components);
  Terms<T> terms;
  Cuts<T> cuts(shape);
  for (Index i = 0; i < rows; ++i) {
    c.read(outputs + i * shape.stride, wider);
    terms.set(c, cuts.of(c), y[i]);
    out[i] = terms.log_sum;
  }
}

template <typename T>
void mixture_log_density(T* out, const T* outputs, const T* y, Index rows,
                         const MixtureShape& shape) {
  wider_mixture_log_density(out, outputs, y, rows, shape, 1);
}

template <typename T>
void mixture_log_densities(T* out, const T* outputs, const T* y, Index count,
                           const MixtureShape& shape) {
  Components<T> c(shape.components);
  Terms<T> terms;
  Cuts<T> cuts(shape);
  c.read(outputs, 1);
  const std::span<const Cut> fixed = cuts.of(c);
  for (Index i = 0; i < count; ++i) {
    terms.set(c, fixed, y[i]);
    out[i] = terms.log_sum;
  }
}

// The uniform number chooses a component; what is left of it, the place in that component.
template <typename T>
void mixture_draws(T* y, const T* outputs, const double* uniform, Index rows,
                   const MixtureShape& shape, double wider) {
  Components<T> c(shape.components);
  for (Index i = 0; i < rows; ++i) {
    c.read(outputs + i * shape.stride, wider);
    double rest = uniform[i];
    Index k = 0;
    for (; k + 1 < c.size && rest >= static_cast<double>(c.weight[k]); ++k) {
      rest -= static_cast<double>(c.weight[k]);
    }
    while (k > 0 && c.weight[k] == 0) --k;  // rounding led past the last one that counts
    const double mean = static_cast<double>(c.mean[k]), scale = static_cast<double>(c.scale[k]);
    const double place = std::clamp(rest / static_cast<double>(c.weight[k]), 1e-12, 1 - 1e-12);
    const double a = (shape.lower - mean) / scale, b = (shape.upper - mean) / scale;
    // From the end that the interval's mass is nearer to, where probabilities are precise.
    const double t = a > 0 ? -quantile(below(-b) + (1 - place) * (below(-a) - below(-b)))
                           : quantile(below(a) + place * (below(b) - below(a)));
    y[i] = static_cast<T>(std::clamp(mean + scale * t, shape.lower, shape.upper));
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): names of types take none
#define HONE_INSTANTIATE(T)                                                                        \
  template double mixture_loss<T>(T*, const T*, const T*, Index, const MixtureShape&);             \
  template void mixture_log_density<T>(T*, const T*, const T*, Index, const MixtureShape&);        \
  template void mixture_log_densities<T>(T*, const T*, const T*, Index, const MixtureShape&);      \
  template void mixture_draws<T>(T*, const T*, const double*, Index, const MixtureShape&, double); \
  template void wider_mixture_log_density<T>(T*, const T*, const T*, Index, const MixtureShape&,   \
                                             double);
HONE_INSTANTIATE(float)
HONE_INSTANTIATE(double)
#undef HONE_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace hone
