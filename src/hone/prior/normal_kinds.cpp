// Normal, lognormal and half-normal, by the error function and its inverse.

#include <cmath>
#include <limits>
#include <numbers>

#include <boost/math/special_functions/erf.hpp>

#include "hone/prior/distribution_makers.h"
#include "hone/prior/standard_normal.h"

namespace hone {

double standard_normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

double standard_normal_quantile(double p) {
  if (p > 0.5) return -standard_normal_quantile(1 - p);
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * p, MathPolicy());
}

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Normal : public Distribution {
 public:
  explicit Normal(const DistributionSpec& spec)
      : Distribution(spec, -kInfinity, kInfinity),
        mean_(spec.number("mean")),
        sigma_(spec.number("sigma")) {}

 private:
  double z(double x) const { return (x - mean_) / sigma_; }
  double log_density_inside(double x) const override {
    return -0.5 * z(x) * z(x) - kLogSqrtTwoPi - std::log(sigma_);
  }
  double mass_below(double x) const override { return standard_normal_cdf(z(x)); }
  double mass_above(double x) const override { return standard_normal_cdf(-z(x)); }
  double lower_quantile(double p) const override {
    return mean_ + sigma_ * standard_normal_quantile(p);
  }
  double upper_quantile(double q) const override {
    return mean_ - sigma_ * standard_normal_quantile(q);
  }

  double mean_;
  double sigma_;
};

class Lognormal : public Distribution {
 public:
  explicit Lognormal(const DistributionSpec& spec)
      : Distribution(spec, 0, kInfinity),
        mean_(spec.number("mean")),
        sigma_(spec.number("sigma")) {}

 private:
  double z(double x) const { return (std::log(x) - mean_) / sigma_; }
  double log_density_inside(double x) const override {
    if (x == 0) return -kInfinity;
    return -0.5 * z(x) * z(x) - kLogSqrtTwoPi - std::log(sigma_) - std::log(x);
  }
  double mass_below(double x) const override { return standard_normal_cdf(z(x)); }
  double mass_above(double x) const override { return standard_normal_cdf(-z(x)); }
  double lower_quantile(double p) const override {
    return std::exp(mean_ + sigma_ * standard_normal_quantile(p));
  }
  double upper_quantile(double q) const override {
    return std::exp(mean_ - sigma_ * standard_normal_quantile(q));
  }

  double mean_;
  double sigma_;
};

class HalfNormal : public Distribution {
 public:
  explicit HalfNormal(const DistributionSpec& spec)
      : Distribution(spec, 0, kInfinity), scale_(spec.number("sigma") * std::numbers::sqrt2) {}

 private:
  double log_density_inside(double x) const override {
    const double t = x / scale_;
    return -t * t - std::log(scale_ / 2) - 0.5 * std::log(std::numbers::pi);
  }
  double mass_below(double x) const override { return std::erf(x / scale_); }
  double mass_above(double x) const override { return std::erfc(x / scale_); }
  double lower_quantile(double p) const override {
    return scale_ * boost::math::erf_inv(p, MathPolicy());
  }
  double upper_quantile(double q) const override {
    return scale_ * boost::math::erfc_inv(q, MathPolicy());
  }

  double scale_;
};

}  // namespace

DistributionOwner make_normal(const DistributionSpec& spec, std::string_view) {
  return std::make_unique<Normal>(spec);
}

DistributionOwner make_lognormal(const DistributionSpec& spec, std::string_view) {
  return std::make_unique<Lognormal>(spec);
}

DistributionOwner make_half_normal(const DistributionSpec& spec, std::string_view) {
  return std::make_unique<HalfNormal>(spec);
}

}  // namespace hone
