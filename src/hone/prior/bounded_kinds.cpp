// Uniform and loguniform: closed forms, each measured from the nearer end.

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

}  // namespace

DistributionOwner make_uniform(const DistributionSpec& spec, std::string_view where) {
  require_usable_width(spec.number("low"), spec.number("high"), where);
  return std::make_unique<Uniform>(spec);
}

DistributionOwner make_loguniform(const DistributionSpec& spec, std::string_view where) {
  require_usable_width(spec.number("low"), spec.number("high"), where);
  return std::make_unique<Loguniform>(spec);
}

}  // namespace hone
