#include "hone/report/run_scales.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/report/label.h"

namespace hone {

Axis unit_axis(const Prior& prior, int d) {
  constexpr double kTail = 0.01, kApart = 0.1;
  const Parameter& p = prior.parameter(d);
  const Distribution& distribution = *p.distribution;
  const auto end = [&](double bound, double u) {
    return std::isfinite(bound) ? bound : distribution.quantile(u);
  };
  Axis units{.low = end(distribution.lower(), kTail), .high = end(distribution.upper(), 1 - kTail)};
  const double inner = distribution.quantile(0.05), outer = distribution.quantile(0.95);
  units.logarithmic = units.low > 0 && outer > 20 * inner;
  const std::vector<double> ticks = axis_ticks(units);
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : units.high - units.low;
  const int exponent = units.logarithmic ? 0 : axis_exponent(units);
  Axis axis{.low = 0, .high = 1, .styled_label = parameter_label(p.name, p.label)};
  if (exponent != 0) axis.styled_label.push_back({" / 10" + superscript(exponent)});
  for (const double tick : ticks) {
    const double u = distribution.cdf(tick);
    if (!axis.named_ticks.empty() && u - axis.named_ticks.back().first < kApart) continue;
    axis.named_ticks.emplace_back(u, tick_label(units, tick, step));
  }
  return axis;
}

double ColumnScale::of(double value) const {
  constexpr double kFar = 3;  // where a value stands that the column never has
  if (half > 0) return (value - middle) / half;
  return value == middle ? 0 : std::copysign(kFar, value - middle);
}

std::vector<ColumnScale> column_scales(std::span<const double> low, std::span<const double> median,
                                       std::span<const double> high) {
  constexpr double kMostRatio = 20;
  double widest = 0, narrowest = std::numeric_limits<double>::infinity();
  std::vector<ColumnScale> scales;
  for (std::size_t i = 0; i < low.size(); ++i) {
    const double spread = high[i] - low[i];
    scales.push_back({median[i], spread > 0 ? spread / 2 : 0});
    if (!(spread > 0)) continue;
    widest = std::max(widest, spread);
    narrowest = std::min(narrowest, spread);
  }
  if (!(widest > kMostRatio * narrowest)) scales.clear();
  return scales;
}

}  // namespace hone
