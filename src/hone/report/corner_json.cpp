#include "hone/report/corner_json.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "hone/report/contours.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kCurvePoints = 240;

double fraction(const Bounds& range, double value) {
  return (value - range.low) / (range.high - range.low);
}

// The cell that holds a value; none in a gap or outside.
std::optional<std::size_t> cell_of(const GridAxis& axis, double value) {
  const auto above = std::ranges::upper_bound(axis.low, value);
  if (above == axis.low.begin()) return std::nullopt;
  const auto i = static_cast<std::size_t>(above - axis.low.begin() - 1);
  return value <= axis.high[i] ? std::optional(i) : std::nullopt;
}

// Linear between cell centres of one interval of the region, level at its ends.
double density_at(const MarginalGrid& grid, double value) {
  const GridAxis& axis = grid.axes[0];
  const std::optional<std::size_t> cell = cell_of(axis, value);
  if (!cell) return 0;
  const std::size_t i = *cell;
  const bool right = value > axis.theta[i];
  const std::size_t other = right ? i + 1 : i - 1;
  const bool joined = right ? i + 1 < axis.cells() && axis.high[i] == axis.low[i + 1]
                            : i > 0 && axis.high[i - 1] == axis.low[i];
  if (!joined) return grid.density[i];
  const double t = (value - axis.theta[i]) / (axis.theta[other] - axis.theta[i]);
  return std::lerp(grid.density[i], grid.density[other], t);
}

double mass_below(const MarginalGrid& grid, double value) {
  const GridAxis& axis = grid.axes[0];
  double below = 0;
  for (std::size_t i = 0; i < axis.cells() && axis.low[i] < value; ++i) {
    const double width = axis.high[i] - axis.low[i];
    const double part = std::isfinite(width) ? (value - axis.low[i]) / width : 0.5;
    below += grid.mass[i] * std::clamp(value >= axis.high[i] ? 1.0 : part, 0.0, 1.0);
  }
  return below;
}

// Fewer digits: a page has many of these.
double rounded(double value, double per_unit = 1e5) {
  return std::round(value * per_unit) / per_unit;
}

Json one_json(const MarginalGrid& grid, const Bounds& range) {
  const double peak = *std::ranges::max_element(grid.density);
  Json density = Json::array(), below = Json::array(), bands = Json::array();
  for (std::size_t i = 0; i < kCurvePoints; ++i) {
    const double at = static_cast<double>(i) / static_cast<double>(kCurvePoints - 1);
    const double value = std::lerp(range.low, range.high, at);
    density.push_back(rounded(density_at(grid, value) / peak));
    below.push_back(rounded(mass_below(grid, value), 1e6));
  }
  for (const double level : kCornerLevels) {
    Json list = Json::array();
    for (const ThetaInterval& part : highest_density_intervals(grid, level)) {
      list.push_back({rounded(std::max(-1.0, fraction(range, part.low))),
                      rounded(std::min(2.0, fraction(range, part.high)))});
    }
    bands.push_back(list);
  }
  return {{"parameter", grid.marginal[0]},
          {"peak", peak},
          {"density", density},
          {"below", below},
          {"bands", bands}};
}

// Loops in thousandths of the panel: x, y, x, y, ...
Json loops_json(const MarginalGrid& grid, double level, const Bounds& x, const Bounds& y) {
  Json loops = Json::array();
  const double threshold = density_at_level(grid, level);
  if (!(threshold > 0)) return loops;
  for (Loop& loop : contour_loops(grid, threshold)) {
    for (Point& p : loop) p = {1000 * fraction(x, p.x), 1000 * fraction(y, p.y)};
    Json points = Json::array();
    for (const Point& p : simplify(loop, 0.7)) {
      points.push_back(std::lround(p.x));
      points.push_back(std::lround(p.y));
    }
    if (points.size() >= 6) loops.push_back(std::move(points));
  }
  return loops;
}

Json pair_json(const MarginalGrid& grid, const std::vector<Bounds>& ranges, int cells) {
  const Bounds x = ranges[static_cast<std::size_t>(grid.marginal[0])];
  const Bounds y = ranges[static_cast<std::size_t>(grid.marginal[1])];
  Json loops = Json::array();
  for (const double level : kCornerLevels) loops.push_back(loops_json(grid, level, x, y));
  return {{"x", grid.marginal[0]},
          {"y", grid.marginal[1]},
          {"loops", loops},
          {"cells", cells},
          {"levels", base64(credible_levels(grid, x, y, cells))}};
}

}  // namespace

Json to_json(const Label& label) {
  Json pieces = Json::array();
  for (const LabelPiece& piece : label) {
    pieces.push_back({{"text", piece.text},
                      {"scale", piece.scale},
                      {"rise", piece.rise},
                      {"stacked", piece.stacked}});
  }
  return pieces;
}

std::string base64(std::span<const unsigned char> bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < have ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= have ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

std::vector<unsigned char> credible_levels(const MarginalGrid& grid, const Bounds& x,
                                           const Bounds& y, int cells) {
  std::vector<std::size_t> order(grid.mass.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return grid.density[i]; });
  std::vector<double> level(order.size());
  double inside = 0;
  for (const std::size_t i : order) {
    level[i] = inside + grid.mass[i] / 2;
    inside += grid.mass[i];
  }
  const std::size_t columns = grid.axes[1].cells();
  std::vector<unsigned char> result;
  for (int i = 0; i < cells; ++i) {
    const auto row = cell_of(grid.axes[0], std::lerp(x.low, x.high, (i + 0.5) / cells));
    for (int j = 0; j < cells; ++j) {
      const auto column = cell_of(grid.axes[1], std::lerp(y.low, y.high, (j + 0.5) / cells));
      const double value = row && column ? level[*row * columns + *column] : 1;
      result.push_back(static_cast<unsigned char>(std::lround(255 * std::min(1.0, value))));
    }
  }
  return result;
}

Json corner_json(const CornerPlot& plot) {
  const std::vector<Bounds> ranges = corner_ranges(plot);
  const auto count = static_cast<int>(plot.parameters.size());
  // A page of 20 parameters has 190 pairs: less than a megabyte of them.
  const int cells = count <= 6 ? 72 : (count <= 12 ? 48 : 32);
  Json json{{"ranges", Json::array()}, {"ones", Json::array()}, {"pairs", Json::array()}};
  for (const Bounds& range : ranges) json["ranges"].push_back({range.low, range.high});
  for (const MarginalGrid& grid : plot.layers.front().grids) {
    if (grid.marginal.size() == 1) {
      json["ones"].push_back(one_json(grid, ranges[static_cast<std::size_t>(grid.marginal[0])]));
    } else {
      json["pairs"].push_back(pair_json(grid, ranges, cells));
    }
  }
  return json;
}

}  // namespace hone
