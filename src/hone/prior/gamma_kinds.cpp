// Beta, gamma, exponential and Student's t, by the incomplete beta and gamma functions.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <numbers>

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include "hone/prior/distribution_makers.h"

namespace hone {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double log_gamma(double x) {
  return boost::math::lgamma(x, MathPolicy());
}

double log_beta(double a, double b) {
  return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
}

// x log(y) that is 0 for x = 0 whatever y is: a flat density has no edge.
double times_log(double x, double log_y) {
  return x == 0 ? 0 : x * log_y;
}

// The positive x with mass(x) = p, for a mass that rises or falls with x. `invert` is Boost's
// answer; its root finders throw in corners that no policy reaches, and then x is bisected over its
// bits, whose order is that of positive doubles: 64 steps from any start.
template <typename Invert, typename Mass>
double robust_inverse(double p, const Invert& invert, const Mass& mass, bool rising) {
  try {
    const double x = invert(p);
    if (std::abs(mass(x) - p) <= 1e-8 * p) return x;
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): bisection follows
  }
  std::uint64_t low = 0;
  std::uint64_t high = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::max());
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    const bool below = (mass(std::bit_cast<double>(middle)) < p) == rising;
    (below ? low : high) = middle;
  }
  return std::bit_cast<double>(high);
}

// Below this the leading power of x is the whole mass, to the last digit.
constexpr double kPowerLawIsExact = 1e-18;

class Beta : public Distribution {
 public:
  explicit Beta(const DistributionSpec& spec)
      : Distribution(spec, 0, 1), a_(spec.number("alpha")), b_(spec.number("beta")) {}

 private:
  double log_density_inside(double x) const override {
    return times_log(a_ - 1, std::log(x)) + times_log(b_ - 1, std::log1p(-x)) - log_beta(a_, b_);
  }
  // Each side where it is the larger is one minus the smaller: Boost's arcsine for a = b = 1/2 has
  // no digits there.
  double mass_below(double x) const override {
    if (x >= 1) return 1;
    return x > a_ / (a_ + b_) ? 1 - boost::math::ibetac(a_, b_, x, MathPolicy())
                              : boost::math::ibeta(a_, b_, x, MathPolicy());
  }
  double mass_above(double x) const override {
    if (x >= 1) return 0;
    return x > a_ / (a_ + b_) ? boost::math::ibetac(a_, b_, x, MathPolicy())
                              : 1 - boost::math::ibeta(a_, b_, x, MathPolicy());
  }
  double lower_quantile(double p) const override {
    const double power_law = std::exp((std::log(p) + std::log(a_) + log_beta(a_, b_)) / a_);
    if (power_law * std::max(1.0, b_) < kPowerLawIsExact) return power_law;
    return robust_inverse(
        p, [this](double m) { return boost::math::ibeta_inv(a_, b_, m, MathPolicy()); },
        [this](double x) { return mass_below(x); }, true);
  }
  double upper_quantile(double q) const override {
    const double power_law = std::exp((std::log(q) + std::log(b_) + log_beta(a_, b_)) / b_);
    if (power_law * std::max(1.0, a_) < kPowerLawIsExact) return 1;
    return robust_inverse(
        q, [this](double m) { return boost::math::ibetac_inv(a_, b_, m, MathPolicy()); },
        [this](double x) { return mass_above(x); }, false);
  }

  double a_;
  double b_;
};

class Gamma : public Distribution {
 public:
  explicit Gamma(const DistributionSpec& spec)
      : Distribution(spec, 0, kInfinity),
        shape_(spec.number("shape")),
        scale_(spec.number("scale")) {}

 private:
  double log_density_inside(double x) const override {
    const double t = x / scale_;
    return times_log(shape_ - 1, std::log(t)) - t - log_gamma(shape_) - std::log(scale_);
  }
  double mass_below(double x) const override { return below(x / scale_); }
  double mass_above(double x) const override { return above(x / scale_); }
  double lower_quantile(double p) const override {
    const double power_law = std::exp((std::log(p) + log_gamma(shape_ + 1)) / shape_);
    if (power_law < kPowerLawIsExact) return scale_ * power_law;
    const auto invert = [this](double m) {
      return boost::math::gamma_p_inv(shape_, m, MathPolicy());
    };
    return scale_ * robust_inverse(
                        p, invert, [this](double t) { return below(t); }, true);
  }
  double upper_quantile(double q) const override {
    const auto invert = [this](double m) {
      return boost::math::gamma_q_inv(shape_, m, MathPolicy());
    };
    return scale_ * robust_inverse(
                        q, invert, [this](double t) { return above(t); }, false);
  }

  double below(double t) const { return boost::math::gamma_p(shape_, t, MathPolicy()); }
  double above(double t) const { return boost::math::gamma_q(shape_, t, MathPolicy()); }

  double shape_;
  double scale_;
};

class Exponential : public Distribution {
 public:
  explicit Exponential(const DistributionSpec& spec)
      : Distribution(spec, 0, kInfinity), scale_(spec.number("scale")) {}

 private:
  double log_density_inside(double x) const override { return -x / scale_ - std::log(scale_); }
  double mass_below(double x) const override { return -std::expm1(-x / scale_); }
  double mass_above(double x) const override { return std::exp(-x / scale_); }
  double lower_quantile(double p) const override { return -scale_ * std::log1p(-p); }
  double upper_quantile(double q) const override { return -scale_ * std::log(q); }

  double scale_;
};

class StudentT : public Distribution {
 public:
  explicit StudentT(const DistributionSpec& spec)
      : Distribution(spec, -kInfinity, kInfinity),
        location_(spec.number("location")),
        scale_(spec.number("scale")),
        half_freedom_(spec.number("degrees_of_freedom") / 2),
        root_freedom_(std::sqrt(spec.number("degrees_of_freedom"))) {}

 private:
  // t / sqrt(degrees of freedom), in which the density is proportional to (1 + s^2)^-(nu + 1)/2.
  double s(double x) const { return (x - location_) / scale_ / root_freedom_; }

  double log_density_inside(double x) const override {
    const double log_norm = log_beta(half_freedom_, 0.5) + std::log(scale_ * root_freedom_);
    return -(2 * half_freedom_ + 1) * std::log(std::hypot(1.0, s(x))) - log_norm;
  }
  double mass_below(double x) const override { return lower_mass(s(x)); }
  double mass_above(double x) const override { return lower_mass(-s(x)); }
  double lower_quantile(double p) const override {
    return location_ - scale_ * root_freedom_ * distance(p);
  }
  double upper_quantile(double q) const override {
    return location_ + scale_ * root_freedom_ * distance(q);
  }

  // Beyond this 1 + s^2 is s^2 in double precision and the tail is a pure power law. It is used
  // before s^2 overflows.
  static constexpr double kPowerLaw = 1e9;

  // log of the tail mass times s^nu, for large s.
  double log_tail() const {
    return -std::numbers::ln2 - std::log(half_freedom_) - log_beta(half_freedom_, 0.5);
  }

  double lower_mass(double s) const {
    if (s > 0) return 1 - lower_mass(-s);
    if (s < -kPowerLaw) return std::exp(log_tail() - 2 * half_freedom_ * std::log(-s));
    const double far = 1 / (1 + s * s);
    const double near = s * s / (1 + s * s);
    // Whichever argument is the smaller one has all its digits.
    if (far < 0.5) return boost::math::ibeta(half_freedom_, 0.5, far, MathPolicy()) / 2;
    const double inner = boost::math::ibeta(0.5, half_freedom_, near, MathPolicy());
    return inner < 0.5 ? 0.5 - inner / 2
                       : boost::math::ibetac(0.5, half_freedom_, near, MathPolicy()) / 2;
  }

  // s > 0 with tail mass p <= 1/2 beyond it.
  double distance(double p) const {
    const double power_law = std::exp((log_tail() - std::log(p)) / (2 * half_freedom_));
    if (power_law > kPowerLaw) return power_law;
    double rest = 0;  // 1 - y
    if (p > 0.25) {   // near the centre s^2 / (1 + s^2) is small, and so is 1 - 2p
      const double y = boost::math::ibeta_inv(0.5, half_freedom_, 1 - 2 * p, &rest, MathPolicy());
      return std::sqrt(y / rest);
    }
    const double y = boost::math::ibeta_inv(half_freedom_, 0.5, 2 * p, &rest, MathPolicy());
    return std::sqrt(rest / y);
  }

  double location_;
  double scale_;
  double half_freedom_;
  double root_freedom_;
};

}  // namespace

DistributionOwner make_beta(const DistributionSpec& spec, std::string_view) {
  return std::make_unique<Beta>(spec);
}

DistributionOwner make_gamma(const DistributionSpec& spec, std::string_view) {
  return std::make_unique<Gamma>(spec);
}

DistributionOwner make_exponential(const DistributionSpec& spec, std::string_view) {
  return std::make_unique<Exponential>(spec);
}

DistributionOwner make_student_t(const DistributionSpec& spec, std::string_view) {
  return std::make_unique<StudentT>(spec);
}

}  // namespace hone
