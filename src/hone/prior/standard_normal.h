#pragma once

namespace hone {

inline constexpr double kLogSqrtTwoPi = 0.91893853320467274178;

// Relatively accurate for z <= 0; for the upper tail ask for -z.
double standard_normal_cdf(double z);
// p in (0, 1), relatively accurate for p <= 1/2.
double standard_normal_quantile(double p);

}  // namespace hone
