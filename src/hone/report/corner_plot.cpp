#include "hone/report/corner_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "hone/core/error.h"
#include "hone/report/contours.h"

namespace hone {
namespace {

void check_grid(const MarginalGrid& grid, std::size_t parameters) {
  const std::size_t dimensions = grid.marginal.size();
  if ((dimensions != 1 && dimensions != 2) || grid.axes.size() != dimensions) {
    fail(ErrorKind::input, "corner plot: a grid has {} parameters; it must have one or two",
         dimensions);
  }
  std::size_t cells = 1;
  for (std::size_t k = 0; k < dimensions; ++k) {
    const int d = grid.marginal[k];
    if (d < 0 || d >= static_cast<int>(parameters)) {
      fail(ErrorKind::input, "corner plot: a grid has parameter {}, there are {}", d, parameters);
    }
    const GridAxis& axis = grid.axes[k];
    if (axis.low.size() != axis.cells() || axis.high.size() != axis.cells()) {
      fail(ErrorKind::input, "corner plot: centres and edges of a grid differ in number");
    }
    cells *= axis.cells();
  }
  if (cells == 0 || grid.mass.size() != cells || grid.density.size() != cells) {
    fail(ErrorKind::input, "corner plot: a grid of {} cells has {} masses and {} densities", cells,
         grid.mass.size(), grid.density.size());
  }
  if (dimensions == 2 && grid.marginal[0] >= grid.marginal[1]) {
    fail(ErrorKind::input, "corner plot: parameters of a grid must ascend, and {}, {} do not",
         grid.marginal[0], grid.marginal[1]);
  }
}

constexpr Bounds kNothing{std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity()};

// Of the peak of a 1-d density: what is lower cannot be seen.
constexpr double kVisible = 1e-3;

// How far a density goes on beyond the last centre of a cell without an end until it cannot be
// seen, if its logarithm falls as it does there; at most as far as all that is known of it.
double tail_length(const GridAxis& axis, const std::vector<double>& density, std::size_t last,
                   std::size_t second, double least) {
  if (!(density[last] > least) || !(density[second] > density[last])) return 0;
  const double step = std::abs(axis.theta[last] - axis.theta[second]);
  const double slope = std::log(density[second] / density[last]) / step;
  return std::min(std::log(density[last] / least) / slope, axis.theta.back() - axis.theta.front());
}

Bounds visible_curve(const MarginalGrid& grid) {
  const GridAxis& axis = grid.axes[0];
  const std::vector<double>& density = grid.density;
  const double least = kVisible * *std::ranges::max_element(density);
  const std::size_t n = density.size();
  Bounds part{axis.theta.back(), axis.theta.front()};
  for (std::size_t i = 0; i < n; ++i) {
    if (density[i] < least) continue;
    part.low = std::min(part.low, std::isfinite(axis.low[i]) ? axis.low[i] : axis.theta[i]);
    part.high = std::max(part.high, std::isfinite(axis.high[i]) ? axis.high[i] : axis.theta[i]);
  }
  if (n < 2) return part;
  if (!std::isfinite(axis.low[0])) part.low -= tail_length(axis, density, 0, 1, least);
  if (!std::isfinite(axis.high[n - 1]))
    part.high += tail_length(axis, density, n - 1, n - 2, least);
  return part;
}

Bounds united(const Bounds& a, const Bounds& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

// What the contours of a 2-d posterior span on its axes. The outermost may reach to infinity, where
// cells have no density, and is not drawn then.
std::array<Bounds, 2> contour_spans(const MarginalGrid& grid) {
  std::array<Bounds, 2> spans{kNothing, kNothing};
  for (const double level : kCornerLevels) {
    const double threshold = density_at_level(grid, level);
    if (!(threshold > 0)) continue;
    for (const Loop& loop : contour_loops(grid, threshold)) {
      for (const Point& p : loop) {
        spans[0] = united(spans[0], {p.x, p.x});
        spans[1] = united(spans[1], {p.y, p.y});
      }
    }
  }
  return spans;
}

Bounds with_room(Bounds part) {
  double room = 0.04 * (part.high - part.low);
  if (!(room > 0)) room = std::max(std::abs(part.low), 1.0) * 1e-3;
  return {part.low - room, part.high + room};
}

}  // namespace

const MarginalGrid* CornerLayer::find(const Marginal& marginal) const {
  const auto found = std::ranges::find(grids, marginal, &MarginalGrid::marginal);
  return found == grids.end() ? nullptr : &*found;
}

void CornerPlot::validate() const {
  if (parameters.empty() || layers.empty()) {
    fail(ErrorKind::input, "corner plot: there is nothing to draw ({} parameters, {} posteriors)",
         parameters.size(), layers.size());
  }
  std::vector<bool> shown(parameters.size(), false);
  for (const CornerLayer& layer : layers) {
    for (const MarginalGrid& grid : layer.grids) {
      check_grid(grid, parameters.size());
      for (const int d : grid.marginal) shown[static_cast<std::size_t>(d)] = true;
    }
  }
  for (std::size_t d = 0; d < shown.size(); ++d) {
    if (!shown[d]) {
      fail(ErrorKind::input, "corner plot: there is no posterior of {}", parameters[d].name);
    }
  }
}

std::vector<Bounds> corner_ranges(const CornerPlot& plot) {
  std::vector<Bounds> ranges(plot.parameters.size(), kNothing);
  const auto show = [&](int parameter, const Bounds& part) {
    Bounds& range = ranges[static_cast<std::size_t>(parameter)];
    range = united(range, part);
  };
  for (const CornerLayer& layer : plot.layers) {
    for (const MarginalGrid& grid : layer.grids) {
      if (grid.marginal.size() == 1) {
        show(grid.marginal[0], visible_curve(grid));
      } else {
        const std::array<Bounds, 2> spans = contour_spans(grid);
        for (std::size_t k = 0; k < 2; ++k) show(grid.marginal[k], spans[k]);
      }
    }
  }
  for (Bounds& range : ranges) {
    range = range.low <= range.high ? with_room(range) : Bounds{0, 1};  // nothing can be drawn
  }
  return ranges;
}

CornerPlot choose_parameters(const CornerPlot& plot, const std::vector<int>& chosen) {
  CornerPlot result;
  std::vector<int> place(plot.parameters.size(), -1);
  if (std::ranges::adjacent_find(chosen, std::greater_equal{}) != chosen.end()) {
    fail(ErrorKind::input, "corner plot: parameters must be chosen once each, in their order");
  }
  for (const int d : chosen) {
    if (d < 0 || d >= static_cast<int>(plot.parameters.size())) {
      fail(ErrorKind::input, "corner plot: there is no parameter {}", d);
    }
    place[static_cast<std::size_t>(d)] = static_cast<int>(result.parameters.size());
    result.parameters.push_back(plot.parameters[static_cast<std::size_t>(d)]);
  }
  for (const CornerLayer& layer : plot.layers) {
    CornerLayer kept{layer.label, {}};
    for (MarginalGrid grid : layer.grids) {
      for (int& d : grid.marginal) d = place[static_cast<std::size_t>(d)];
      if (std::ranges::find(grid.marginal, -1) != grid.marginal.end()) continue;
      kept.grids.push_back(std::move(grid));
    }
    result.layers.push_back(std::move(kept));
  }
  return result;
}

}  // namespace hone
