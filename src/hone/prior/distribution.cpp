#include "hone/prior/distribution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace hone {

Distribution::Distribution(DistributionSpec spec, double lower, double upper, bool discrete)
    : spec_(std::move(spec)), lower_(lower), upper_(upper), discrete_(discrete) {}

std::string Distribution::value_name(double x) const {
  return fmt::format("{:g}", x);
}

double Distribution::log_density(double x) const {
  if (x < lower_ || x > upper_ || std::isinf(x)) return -std::numeric_limits<double>::infinity();
  return log_density_inside(x);
}

double Distribution::cdf(double x) const {
  if (x <= lower_) return 0;
  if (x >= upper_) return 1;
  return std::min(mass_below(x), 1.0);
}

double Distribution::cdf_complement(double x) const {
  if (x <= lower_) return 1;
  if (x >= upper_) return 0;
  return std::min(mass_above(x), 1.0);
}

// 1 - p is exact for p >= 1/2, so going to the other half loses nothing.
double Distribution::quantile(double p) const {
  if (!(p >= 0 && p <= 1)) return std::numeric_limits<double>::quiet_NaN();
  const double half = discrete_ ? 0.5 : 0;  // from an end of the support to a value
  if (p == 0) return lower_ + half;
  if (p == 1) return upper_ - half;
  return std::clamp(p <= 0.5 ? lower_quantile(p) : upper_quantile(1 - p), lower_, upper_);
}

double Distribution::quantile_complement(double q) const {
  if (!(q >= 0 && q <= 1)) return std::numeric_limits<double>::quiet_NaN();
  const double half = discrete_ ? 0.5 : 0;
  if (q == 0) return upper_ - half;
  if (q == 1) return lower_ + half;
  return std::clamp(q <= 0.5 ? upper_quantile(q) : lower_quantile(1 - q), lower_, upper_);
}

DistributionPointer make_distribution(const DistributionSpec& spec, std::string_view where) {
  return find_distribution_kind(spec.kind, where).make(resolve(spec, where), where);
}

}  // namespace hone
