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

inline constexpr double kHalfLogTwoPi = 0.91893853320467274178;

}  // namespace hone
