#include "hone/report/corner_scale.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace hone {
namespace {

std::vector<double> inner_ticks(const Axis& axis) {
  std::vector<double> ticks = axis_ticks(axis);
  const double margin = 0.05 * (axis.high - axis.low);
  std::erase_if(ticks,
                [&](double tick) { return tick < axis.low + margin || tick > axis.high - margin; });
  return ticks;
}

// Of multiples of a step in a row, those of twice the step.
void keep_even(std::vector<double>& ticks, double step) {
  const long long first = std::llround(ticks.front() / step);
  std::vector<double> kept;
  for (std::size_t i = first % 2 == 0 ? 0 : 1; i < ticks.size(); i += 2) kept.push_back(ticks[i]);
  ticks = std::move(kept);
}

// "−0.5" with a true minus sign.
std::string number(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", value, digits);
  if (text.starts_with('-')) text.replace(0, 1, "−");
  return text;
}

}  // namespace

CornerScale corner_scale(Canvas& canvas, const Bounds& range, double panel, double tick_size) {
  const std::size_t most = panel > 70 ? 5 : 3;
  CornerScale best;
  // From fine to coarse: the first that has room wins; two ticks slanted are better than one.
  for (int steps = 9; steps >= 2; --steps) {
    CornerScale scale{.axis = {.low = range.low, .high = range.high, .steps = steps}, .ticks = {}};
    scale.ticks = inner_ticks(scale.axis);
    if (scale.ticks.size() < 2) continue;
    scale.step = scale.ticks[1] - scale.ticks[0];
    for (; scale.ticks.size() > most; scale.step *= 2) keep_even(scale.ticks, scale.step);
    if (scale.ticks.size() < 2) continue;
    for (const double tick : scale.ticks) {
      const std::string label = tick_label(scale.axis, tick, scale.step);
      scale.widest = std::max(scale.widest, canvas.text_width(label, {.size = tick_size}));
    }
    scale.slanted = scale.widest + 4 > panel * scale.step / (range.high - range.low);
    if (best.ticks.empty() || !scale.slanted) best = scale;
    if (!scale.slanted) break;
  }
  if (best.ticks.empty()) best.axis = {.low = range.low, .high = range.high};
  return best;
}

namespace {

// Points beyond the last centre of an interval without an end; `inner` is the direction back.
Loop tail(const MarginalGrid& grid, std::size_t last, std::ptrdiff_t inner) {
  const std::vector<double>& theta = grid.axes[0].theta;
  const std::size_t second = last + static_cast<std::size_t>(inner);
  const std::size_t third = second + static_cast<std::size_t>(inner);
  if (theta.size() < 3 || !(grid.density[third] > 0) || !(grid.density[second] > 0)) return {};
  if (!(grid.density[last] > 0)) return {};
  const std::array<double, 3> x{theta[last], theta[second], theta[third]};
  const std::array<double, 3> v{std::log(grid.density[last]), std::log(grid.density[second]),
                                std::log(grid.density[third])};
  Loop points;
  constexpr int kSteps = 24;
  for (int k = 1; k <= kSteps; ++k) {
    const double at = x[0] + k * (x[0] - x[1]);
    points.push_back({at, std::exp(extrapolated(x, v, at))});
  }
  return points;
}

}  // namespace

std::vector<Loop> density_outline(const MarginalGrid& grid) {
  const GridAxis& axis = grid.axes[0];
  std::vector<Loop> pieces;
  for (std::size_t i = 0; i < axis.cells(); ++i) {
    const double density = grid.density[i];
    if (i == 0 || axis.high[i - 1] != axis.low[i]) {
      Loop start{{axis.low[i], density}};
      if (!std::isfinite(axis.low[i])) start = tail(grid, i, 1);
      std::ranges::reverse(start);
      pieces.push_back(std::move(start));
    }
    pieces.back().push_back({axis.theta[i], density});
    if (i + 1 == axis.cells() || axis.high[i] != axis.low[i + 1]) {
      Loop end{{axis.high[i], density}};
      if (!std::isfinite(axis.high[i])) end = tail(grid, i, -1);
      pieces.back().insert(pieces.back().end(), end.begin(), end.end());
    }
  }
  for (Loop& piece : pieces) {
    piece.insert(piece.begin(), {piece.front().x, 0});
    piece.push_back({piece.back().x, 0});
  }
  return pieces;
}

Label value_with_errors(const MarginalGrid& grid) {
  if (highest_density_intervals(grid, 0.6827).size() != 1) return {};
  const double median = grid_quantile(grid, 0.5);
  const double below = median - grid_quantile(grid, 0.15865);
  const double above = grid_quantile(grid, 0.84135) - median;
  if (!(below > 0) || !(above > 0)) return {};
  const int exponent = axis_exponent({.low = median - below, .high = median + above});
  const double unit = std::pow(10.0, exponent);
  const double smaller = std::min(below, above) / unit;
  const int digits = std::clamp(1 - static_cast<int>(std::floor(std::log10(smaller))), 0, 8);
  Label label{{number(median / unit, digits)},
              {fmt::format("−{}", number(below / unit, digits)), 0.7, -0.22},
              {fmt::format("+{}", number(above / unit, digits)), 0.7, 0.42, true}};
  if (exponent != 0) label.push_back({"·10" + superscript(exponent)});
  return label;
}

}  // namespace hone
