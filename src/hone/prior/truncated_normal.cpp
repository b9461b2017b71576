// The normal distribution cut to [low, high]. Every mass is scaled by exp(c^2 / 2), where c is the
// distance of the interval from the mean in units of sigma, so that nothing underflows however far
// out the interval lies; and every distance is taken from an end of the interval, so that nothing
// cancels however narrow it is.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <boost/math/quadrature/gauss.hpp>

#include "hone/core/error.h"
#include "hone/prior/distribution_makers.h"
#include "hone/prior/standard_normal.h"

namespace hone {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kInverseSqrtTwoPi = 0.39894228040143267794;

// exp(x^2) erfc(x), x >= 0.
double scaled_erfc(double x) {
  if (x < 10) {
    const double square = x * x;  // its rounding error, times x^2 eps, is put back to first order
    return std::exp(square) * (1 + std::fma(x, x, -square)) * std::erfc(x);
  }
  // Asymptotic series; at x = 10 the 14th term is below 1e-17.
  const double step = 1 / (2 * x * x);
  double term = 1;
  double sum = 1;
  for (int n = 1; n <= 14; ++n) {
    term *= -(2 * n - 1) * step;
    sum += term;
  }
  return sum / (x * std::sqrt(std::numbers::pi));
}

// exp(near^2 / 2) times the standard normal mass of (near, far), near >= 0, width = far - near.
double scaled_mass(double near, double far, double width) {
  if (width * (1 + near) < 2) {
    // The difference below would cancel. 20 points are exact here to the last digits.
    const auto density = [near](double t) { return std::exp(-t * (near + t / 2)); };
    return kInverseSqrtTwoPi *
           boost::math::quadrature::gauss<double, 20>::integrate(density, 0.0, width);
  }
  const double tail = std::exp(-width * (near + width / 2));
  return 0.5 * (scaled_erfc(near / std::numbers::sqrt2) -
                (tail > 0 ? tail * scaled_erfc(far / std::numbers::sqrt2) : 0));
}

// Solves f(w) = 0 for w in (low, high), f monotone with f(w) = {value, d value / d log w}: Newton's
// method in log w, kept inside a shrinking bracket.
template <typename Function>
double positive_root(const Function& f, double low, double high, double w) {
  for (int iteration = 0; iteration < 200; ++iteration) {
    if (!(w > low && w < high)) w = low > 0 ? std::sqrt(low) * std::sqrt(high) : high / 16;
    const auto [value, slope] = f(w);
    const bool right_of_root = slope > 0 ? value > 0 : value < 0;
    (right_of_root ? high : low) = w;
    const double next = w * std::exp(std::clamp(-value / slope, -50.0, 50.0));
    // Newton squares the error: after a step this small the next one is below rounding.
    if (std::abs(next - w) <= 1e-10 * w) return next;
    w = next;  // NaN or outside: the next pass bisects
  }
  return w;
}

// The standard normal cut to [low, high], at least one of them finite, seen from its lower end. The
// upper tail is the lower tail of the mirror image.
class CutNormal {
 public:
  enum class Anchor { low, centre, high };

  CutNormal(double low, double high, double width)
      : low_(low),
        high_(high),
        width_(width),
        nearest_(low > 0    ? low
                 : high < 0 ? -high
                            : 0),
        total_(mass_below({high, width, 0})) {}

  // A point of the interval and its distances from the two ends, each with all its digits.
  struct Point {
    double z;
    double from_low;
    double from_high;
  };

  // Scaled mass below the point.
  double mass_below(const Point& point) const {
    const auto& [z, from_low, from_high] = point;
    if (low_ >= 0) return scaled_mass(low_, z, from_low);
    if (z > 0)
      return 0.5 * (std::erf(z / std::numbers::sqrt2) + std::erf(-low_ / std::numbers::sqrt2));
    return density_ratio(point) * scaled_mass(-z, -low_, from_low);
  }

  // Density relative to the highest one in the interval, and its logarithm.
  double log_density_ratio(const Point& point) const {
    const double offset = low_ > 0    ? point.from_low
                          : high_ < 0 ? point.from_high
                                      : std::abs(point.z);
    return -offset * (nearest_ + offset / 2);
  }
  double density_ratio(const Point& point) const { return std::exp(log_density_ratio(point)); }

  double total() const { return total_; }
  double nearest() const { return nearest_; }

  // Where quantile() measures from. Not from a lower end 40 sigma away from everything that
  // matters: no mass a double can hold lies there, and the distance would have no digits left.
  Anchor anchor() const {
    if (low_ >= std::min(high_, 0.0) - 40) return Anchor::low;
    return high_ <= 0 ? Anchor::high : Anchor::centre;
  }

  // Signed distance from the anchor; p in (0, 1/2].
  double quantile(double p) const {
    switch (anchor()) {
      case Anchor::low: return distance_from_low(p);
      case Anchor::high: return -distance_from_high(p);
      case Anchor::centre: break;
    }
    return standard_normal_quantile(p * total_);
  }

 private:
  // Where exp(-w (c + w / 2)) = p: how far the lower tail reaches from an upper end below the mean.
  double tail_distance(double p) const {
    const double depth = -std::log(p);
    return 2 * depth / (nearest_ + std::sqrt(nearest_ * nearest_ + 2 * depth));
  }

  double distance_from_high(double p) const {
    const auto f = [&](double w) {
      const Point point{high_ - w, width_ - w, w};
      const double mass = mass_below(point);
      const double slope = -w * kInverseSqrtTwoPi * density_ratio(point) / mass;
      return std::pair(std::log(mass / total_ / p), slope);
    };
    const double guess = tail_distance(p);
    return positive_root(f, 0, 2 * guess + 1, guess);
  }

  double distance_from_low(double p) const {
    const auto f = [&](double w) {
      const Point point{low_ + w, w, width_ - w};
      const double mass = mass_below(point);
      const double slope = w * kInverseSqrtTwoPi * density_ratio(point) / mass;
      // An underflowing mass lies below any target.
      return mass > 0 ? std::pair(std::log(mass / total_ / p), slope) : std::pair(-kInfinity, 1.0);
    };
    return positive_root(f, 0, std::min(width_, upper_limit()), guess_from_low(p));
  }

  // No lower half reaches further: beyond it less than half of any cut normal is left.
  double upper_limit() const { return low_ < 0 ? -low_ + 1 : 1; }

  double guess_from_low(double p) const {
    if (high_ <= 0) return width_ - tail_distance(p);
    const double linear = p * total_ / kInverseSqrtTwoPi / density_ratio({low_, 0, width_});
    if (low_ >= 0 || linear < 0.1) return linear;
    return standard_normal_quantile(standard_normal_cdf(low_) + p * total_) - low_;
  }

  double low_;
  double high_;
  double width_;
  double nearest_;  // distance of the interval from 0
  double total_;
};

class TruncatedNormal : public Distribution {
 public:
  explicit TruncatedNormal(const DistributionSpec& spec)
      : Distribution(spec, spec.number("low"), spec.number("high")),
        mean_(spec.number("mean")),
        sigma_(spec.number("sigma")),
        forward_(z(lower()), z(upper()), (upper() - lower()) / sigma_),
        mirror_(-z(upper()), -z(lower()), (upper() - lower()) / sigma_) {}

  // Beyond 1e15 sigma the mean's own rounding decides where the mass lies.
  bool usable() const {
    return std::isnormal(forward_.total()) && std::isnormal(mirror_.total()) &&
           forward_.nearest() < 1e15;
  }

 private:
  double z(double x) const { return (x - mean_) / sigma_; }
  CutNormal::Point point(double x) const {
    return {z(x), (x - lower()) / sigma_, (upper() - x) / sigma_};
  }
  CutNormal::Point mirrored(double x) const {
    return {-z(x), (upper() - x) / sigma_, (x - lower()) / sigma_};
  }

  double log_density_inside(double x) const override {
    return forward_.log_density_ratio(point(x)) - std::log(forward_.total()) - kLogSqrtTwoPi -
           std::log(sigma_);
  }
  double mass_below(double x) const override {
    return forward_.mass_below(point(x)) / forward_.total();
  }
  double mass_above(double x) const override {
    return mirror_.mass_below(mirrored(x)) / mirror_.total();
  }
  double lower_quantile(double p) const override {
    const double anchor = forward_.anchor() == CutNormal::Anchor::low    ? lower()
                          : forward_.anchor() == CutNormal::Anchor::high ? upper()
                                                                         : mean_;
    return anchor + sigma_ * forward_.quantile(p);
  }
  double upper_quantile(double q) const override {
    const double anchor = mirror_.anchor() == CutNormal::Anchor::low    ? upper()
                          : mirror_.anchor() == CutNormal::Anchor::high ? lower()
                                                                        : mean_;
    return anchor - sigma_ * mirror_.quantile(q);
  }

  double mean_;
  double sigma_;
  CutNormal forward_;
  CutNormal mirror_;
};

}  // namespace

DistributionOwner make_truncated_normal(const DistributionSpec& spec, std::string_view where) {
  const double low = spec.number("low");
  const double high = spec.number("high");
  if (std::isinf(low) && std::isinf(high)) {
    fail(ErrorKind::input, "{}: a truncated_normal needs low or high; without both use 'normal'",
         where);
  }
  if (std::isfinite(low) && std::isfinite(high)) require_usable_width(low, high, where);
  auto made = std::make_unique<TruncatedNormal>(spec);
  if (!made->usable()) {
    fail(ErrorKind::input, "{}.sigma = {}: too small for the distance of [{}, {}] from mean = {}",
         where, spec.number("sigma"), low, high, spec.number("mean"));
  }
  return made;
}

}  // namespace hone
