#include "hone/engine/cut_normal.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <boost/math/special_functions/erf.hpp>

namespace hone {
namespace {

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

}  // namespace

NormalCut cut_normal(double a, double b) {
  if (a < -8.5 && b > 8.5) return {};  // Z = 1 to the last bit
  if (a > 0) {                         // mirrored, so that the tails below carry the precision
    const NormalCut mirrored = cut_normal(-b, -a);
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

// From the end that the mass is nearer to, where probabilities are precise.
double cut_normal_quantile(double place, double a, double b) {
  return a > 0 ? -quantile(below(-b) + (1 - place) * (below(-a) - below(-b)))
               : quantile(below(a) + place * (below(b) - below(a)));
}

PlaceSlopes place_slopes(double y, double place, double mean, double scale, double lower,
                         double upper, const NormalCut& cut) {
  const auto moment = [&](double end, double at) {
    return at == 0 ? 0 : (end - mean) / scale * at;
  };
  const double t = (y - mean) / scale;
  const double at_y = std::exp(-0.5 * t * t - kHalfLogTwoPi - cut.log_mass);
  const double low = moment(lower, cut.at_low), high = moment(upper, cut.at_high);
  return {(cut.at_low - at_y - place * (cut.at_low - cut.at_high)) / scale,
          low - t * at_y - place * (low - high)};
}

double normal_probability(double z) {
  return below(z);
}
double normal_score(double p) {
  return quantile(std::clamp(p, kLeastTail, 1 - kLeastTail));
}

}  // namespace hone
