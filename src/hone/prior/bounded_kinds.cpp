// Uniform, loguniform and triangular: closed forms, each measured from the nearer end.

#include <cmath>

#include "hone/prior/distribution_makers.h"

namespace hone {
namespace {

class Uniform : public Distribution {
 public:
  explicit Uniform(const DistributionSpec& spec)
      : Distribution(spec, spec.number("low"), spec.number("high")), width_(upper() - lower()) {}

 private:
  double log_density_inside(double) const override { return -std::log(width_); }
  double mass_below(double x) const override { return (x - lower()) / width_; }
  double mass_above(double x) const override { return (upper() - x) / width_; }
  double lower_quantile(double p) const override { return lower() + p * width_; }
  double upper_quantile(double q) const override { return upper() - q * width_; }

  double width_;
};

// log(b / a) for 0 < a <= b, also where b / a overflows or is close to one.
double log_ratio(double a, double b) {
  return b < 2 * a ? std::log1p((b - a) / a) : std::log(b) - std::log(a);
}

class Loguniform : public Distribution {
 public:
  explicit Loguniform(const DistributionSpec& spec)
      : Distribution(spec, spec.number("low"), spec.number("high")),
        log_width_(log_ratio(lower(), upper())) {}

 private:
  double log_density_inside(double x) const override { return -std::log(x) - std::log(log_width_); }
  double mass_below(double x) const override { return log_ratio(lower(), x) / log_width_; }
  double mass_above(double x) const override { return log_ratio(x, upper()) / log_width_; }
  // In two factors, since exp(log_width / 2) overflows when the range spans 600 decades.
  double lower_quantile(double p) const override {
    const double factor = std::exp(p * log_width_ / 2);
    return lower() * factor * factor;
  }
  double upper_quantile(double q) const override {
    const double factor = std::exp(-q * log_width_ / 2);
    return upper() * factor * factor;
  }

  double log_width_;
};

class Triangular : public Distribution {
 public:
  explicit Triangular(const DistributionSpec& spec)
      : Distribution(spec, spec.number("low"), spec.number("high")),
        mode_(spec.number("mode")),
        width_(upper() - lower()),
        left_((mode_ - lower()) / width_),
        right_((upper() - mode_) / width_) {}

 private:
  // y = (x - low) / width, z = (high - x) / width: mass y^2 / left below the mode, z^2 / right
  // above it.
  double log_density_inside(double x) const override {
    const double height = x < mode_   ? (x - lower()) / width_ / left_
                          : x > mode_ ? (upper() - x) / width_ / right_
                                      : 1;
    return std::log(2 * height) - std::log(width_);
  }
  double mass_below(double x) const override {
    if (x > mode_) return 1 - mass_above(x);
    const double y = (x - lower()) / width_;
    return y * (y / left_);
  }
  double mass_above(double x) const override {
    if (x <= mode_) return 1 - mass_below(x);
    const double z = (upper() - x) / width_;
    return z * (z / right_);
  }
  double lower_quantile(double p) const override {
    return p <= left_ ? lower() + width_ * std::sqrt(p) * std::sqrt(left_)
                      : upper() - width_ * std::sqrt(1 - p) * std::sqrt(right_);
  }
  double upper_quantile(double q) const override {
    return q <= right_ ? upper() - width_ * std::sqrt(q) * std::sqrt(right_)
                       : lower() + width_ * std::sqrt(1 - q) * std::sqrt(left_);
  }

  double mode_;
  double width_;
  double left_;   // mass below the mode
  double right_;  // mass above the mode
};

}  // namespace

DistributionOwner make_uniform(const DistributionSpec& spec, std::string_view where) {
  require_usable_width(spec.number("low"), spec.number("high"), where);
  return std::make_unique<Uniform>(spec);
}

DistributionOwner make_loguniform(const DistributionSpec& spec, std::string_view where) {
  require_usable_width(spec.number("low"), spec.number("high"), where);
  return std::make_unique<Loguniform>(spec);
}

DistributionOwner make_triangular(const DistributionSpec& spec, std::string_view where) {
  require_usable_width(spec.number("low"), spec.number("high"), where);
  return std::make_unique<Triangular>(spec);
}

}  // namespace hone
