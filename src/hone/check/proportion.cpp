#include "hone/check/proportion.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>

namespace hone {

std::pair<double, double> jeffreys_interval(Index k, Index n, double level) {
  const double a = static_cast<double>(k) + 0.5, b = static_cast<double>(n - k) + 0.5;
  const double tail = (1 - level) / 2;
  return {k == 0 ? 0 : boost::math::ibeta_inv(a, b, tail),
          k == n ? 1 : boost::math::ibetac_inv(a, b, tail)};
}

double probability_at_most(Index k, Index n, double p) {
  if (k < 0) return 0;
  if (k >= n) return 1;
  return boost::math::ibetac(static_cast<double>(k + 1), static_cast<double>(n - k), p);
}

double probability_at_least(Index k, Index n, double p) {
  if (k <= 0) return 1;
  if (k > n) return 0;
  return boost::math::ibeta(static_cast<double>(k), static_cast<double>(n - k + 1), p);
}

double level_of_z(double z) {
  return std::erf(z / std::numbers::sqrt2);
}

double z_of_level(double level) {
  if (level >= 1) return std::numeric_limits<double>::infinity();
  return level <= 0 ? 0 : std::numbers::sqrt2 * boost::math::erfc_inv(1 - level);
}

double chi_squared_above(double x, double degrees) {
  return x <= 0 ? 1 : boost::math::gamma_q(degrees / 2, x / 2);
}

double normal_above(double z) {
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

}  // namespace hone
