#pragma once

// The standard normal distribution between two ends, precise also far out in its tails.

namespace hone {

// log Z of the standard normal between a and b, and phi(a) / Z, phi(b) / Z. Infinite ends: none.
struct NormalCut {
  double log_mass = 0, at_low = 0, at_high = 0;
};
NormalCut cut_normal(double a, double b);

// The point between a and b below which the part `place` of (0, 1) of their mass lies.
double cut_normal_quantile(double place, double a, double b);

// Derivatives of the place F(y) of y in a Gaussian that is cut to lower .. upper, by its mean and
// by the logarithm of its scale. `cut`: of the interval in units of that Gaussian.
struct PlaceSlopes {
  double by_mean, by_log_scale;
};
PlaceSlopes place_slopes(double y, double place, double mean, double scale, double lower,
                         double upper, const NormalCut& cut);

// Phi(z), and the z where it is p. Of a p nearer to 0 or 1 than kLeastTail it is that of
// kLeastTail: what rounding leaves of such a p says little.
inline constexpr double kLeastTail = 1e-12;
double normal_probability(double z);
double normal_score(double p);

inline constexpr double kHalfLogTwoPi = 0.91893853320467274178;

}  // namespace hone
