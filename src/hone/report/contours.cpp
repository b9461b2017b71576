#include "hone/report/contours.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "hone/core/error.h"

namespace hone {
namespace {

// Cells of an axis without a gap between them: [begin, end).
struct CellBlock {
  std::size_t begin = 0, end = 0;
};

std::vector<CellBlock> blocks_of(const GridAxis& axis) {
  std::vector<CellBlock> blocks;
  for (std::size_t i = 0; i < axis.cells(); ++i) {
    if (i > 0 && axis.high[i - 1] == axis.low[i]) {
      blocks.back().end = i + 1;
    } else {
      blocks.push_back({i, i + 1});
    }
  }
  return blocks;
}

// Steps beyond the last centre of a cell without an end.
constexpr std::size_t kBeyond = 8;

// Where a block is sampled along an axis: outside, at its edge, at the centres, at the other edge,
// outside. What is outside has no distance from the edge, so that contours end there exactly. A
// cell that reaches to infinity has no edge: there samples go on beyond its centre.
struct SampleLine {
  std::vector<double> places;
  std::vector<std::size_t> cells;   // per place: the cell that the value is taken from
  std::size_t first = 0, last = 0;  // places of the first and the last centre
  bool open_low = false, open_high = false;

  SampleLine(const GridAxis& axis, CellBlock block) {
    const double low = axis.low[block.begin], high = axis.high[block.end - 1];
    const std::size_t end = block.end - 1;
    const bool enough = block.end - block.begin >= 3;
    open_low = enough && !std::isfinite(low);
    open_high = enough && !std::isfinite(high);
    const double from = axis.theta[block.begin], to = axis.theta[end];
    if (open_low) {
      const double step = axis.theta[block.begin + 1] - from;
      for (std::size_t k = kBeyond; k > 0; --k)
        add(from - static_cast<double>(k) * step, block.begin);
    } else {
      add(std::isfinite(low) ? low : from, block.begin);
    }
    first = places.size();
    for (std::size_t i = block.begin; i < block.end; ++i) add(axis.theta[i], i);
    last = places.size() - 1;
    if (open_high) {
      const double step = to - axis.theta[end - 1];
      for (std::size_t k = 1; k <= kBeyond; ++k) add(to + static_cast<double>(k) * step, end);
    } else {
      add(std::isfinite(high) ? high : to, end);
    }
    // The frame.
    places.insert(places.begin(), places.front());
    places.push_back(places.back());
    cells.insert(cells.begin(), cells.front());
    cells.push_back(cells.back());
    ++first;
    ++last;
  }

  void add(double place, std::size_t cell) {
    places.push_back(place);
    cells.push_back(cell);
  }
  std::size_t size() const { return places.size(); }
};

// Marching squares over one block of cells, ringed by a frame of nothing: every contour closes.
class Tracer {
 public:
  Tracer(const MarginalGrid& grid, CellBlock first, CellBlock second, double threshold)
      : rows_(grid.axes[0], first), columns_(grid.axes[1], second) {
    value_.assign(x().size() * y().size(), kNothing);
    const std::size_t cells = grid.axes[1].cells();
    for (std::size_t i = 1; i + 1 < x().size(); ++i) {
      for (std::size_t j = 1; j + 1 < y().size(); ++j) {
        const double density = grid.density[rows_.cells[i] * cells + columns_.cells[j]];
        value(i, j) = density > 0 ? std::max(kNothing, std::log(density / threshold)) : kNothing;
      }
    }
    extend_rows();
    extend_columns();
  }

  void trace(std::vector<Loop>& loops) {
    link_.assign(2 * value_.size(), {kNone, kNone});
    for (std::size_t i = 0; i + 1 < x().size(); ++i) {
      for (std::size_t j = 0; j + 1 < y().size(); ++j) square(i, j);
    }
    std::vector<bool> seen(link_.size(), false);
    for (std::size_t start = 0; start < link_.size(); ++start) {
      if (link_[start][0] == kNone || seen[start]) continue;
      Loop loop;
      for (std::size_t edge = start, before = kNone; !seen[edge];) {
        seen[edge] = true;
        loop.push_back(crossing(edge));
        const std::size_t next = link_[edge][0] == before ? link_[edge][1] : link_[edge][0];
        before = edge;
        edge = next;
      }
      loops.push_back(std::move(loop));
    }
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  // log(density / threshold) where there is nothing: far below any contour.
  static constexpr double kNothing = -700;

  const std::vector<double>& x() const { return rows_.places; }
  const std::vector<double>& y() const { return columns_.places; }
  double& value(std::size_t i, std::size_t j) { return value_[i * y().size() + j]; }

  // Values beyond the centres of cells without an end.
  void extend_rows() {
    const auto extend = [&](std::size_t i, std::size_t a, std::size_t b, std::size_t c) {
      for (std::size_t j = 1; j + 1 < y().size(); ++j) {
        value(i, j) =
            extrapolated({x()[a], x()[b], x()[c]}, {value(a, j), value(b, j), value(c, j)}, x()[i]);
      }
    };
    const std::size_t low = rows_.first, high = rows_.last;
    for (std::size_t i = 1; rows_.open_low && i < low; ++i) extend(i, low, low + 1, low + 2);
    for (std::size_t i = high + 1; rows_.open_high && i + 1 < x().size(); ++i) {
      extend(i, high, high - 1, high - 2);
    }
  }

  void extend_columns() {
    const auto extend = [&](std::size_t j, std::size_t a, std::size_t b, std::size_t c) {
      for (std::size_t i = 1; i + 1 < x().size(); ++i) {
        value(i, j) =
            extrapolated({y()[a], y()[b], y()[c]}, {value(i, a), value(i, b), value(i, c)}, y()[j]);
      }
    };
    const std::size_t low = columns_.first, high = columns_.last;
    for (std::size_t j = 1; columns_.open_low && j < low; ++j) extend(j, low, low + 1, low + 2);
    for (std::size_t j = high + 1; columns_.open_high && j + 1 < y().size(); ++j) {
      extend(j, high, high - 1, high - 2);
    }
  }

  // The edge from (i, j) along x (even) or y (odd).
  std::size_t edge_along_x(std::size_t i, std::size_t j) const { return 2 * (i * y().size() + j); }
  std::size_t edge_along_y(std::size_t i, std::size_t j) const { return edge_along_x(i, j) + 1; }

  Point crossing(std::size_t edge) {
    const std::size_t i = edge / 2 / y().size(), j = edge / 2 % y().size();
    const bool along_x = edge % 2 == 0;
    const double from = value(i, j), to = along_x ? value(i + 1, j) : value(i, j + 1);
    const double t = from / (from - to);
    return along_x ? Point{std::lerp(x()[i], x()[i + 1], t), y()[j]}
                   : Point{x()[i], std::lerp(y()[j], y()[j + 1], t)};
  }

  void join(std::size_t one, std::size_t other) {
    link_[one][link_[one][0] == kNone ? 0 : 1] = other;
    link_[other][link_[other][0] == kNone ? 0 : 1] = one;
  }

  // Joins the crossed edges of the square whose lowest corner is (i, j).
  void square(std::size_t i, std::size_t j) {
    const double a = value(i, j), b = value(i + 1, j), c = value(i + 1, j + 1), d = value(i, j + 1);
    const std::size_t ab = edge_along_x(i, j), bc = edge_along_y(i + 1, j),
                      cd = edge_along_x(i, j + 1), da = edge_along_y(i, j);
    const bool in_a = a >= 0, in_b = b >= 0, in_c = c >= 0, in_d = d >= 0;
    std::vector<std::size_t>& crossed = scratch_;
    crossed.clear();
    if (in_a != in_b) crossed.push_back(ab);
    if (in_b != in_c) crossed.push_back(bc);
    if (in_c != in_d) crossed.push_back(cd);
    if (in_d != in_a) crossed.push_back(da);
    if (crossed.size() == 2) join(crossed[0], crossed[1]);
    if (crossed.size() < 4) return;
    // Opposite corners are alike: the mean decides whether they are connected.
    const bool middle = a + b + c + d >= 0;
    join(ab, middle == in_a ? bc : da);
    join(cd, middle == in_a ? da : bc);
  }

  SampleLine rows_, columns_;
  std::vector<double> value_;
  std::vector<std::array<std::size_t, 2>> link_;  // per edge: the two crossed edges beside it
  std::vector<std::size_t> scratch_;
};

// Douglas and Peucker: keeps the farthest point from the chord, and goes on on both sides of it.
void keep_far_points(const Loop& points, std::size_t first, std::size_t last, double tolerance,
                     std::vector<bool>& keep) {
  const Point a = points[first], b = points[last];
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  double farthest = tolerance;
  std::size_t at = first;
  for (std::size_t i = first + 1; i < last; ++i) {
    const Point p = points[i];
    const double distance =
        length > 0 ? std::abs((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x)) / length
                   : std::hypot(p.x - a.x, p.y - a.y);
    if (distance > farthest) {
      farthest = distance;
      at = i;
    }
  }
  if (at == first) return;
  keep[at] = true;
  keep_far_points(points, first, at, tolerance, keep);
  keep_far_points(points, at, last, tolerance, keep);
}

}  // namespace

double extrapolated(const std::array<double, 3>& x, const std::array<double, 3>& v, double at) {
  const double slope = (v[1] - v[0]) / (x[1] - x[0]);
  const double bend = ((v[2] - v[1]) / (x[2] - x[1]) - slope) / (x[2] - x[0]);
  return v[0] + (at - x[0]) * (slope + std::min(0.0, bend) * (at - x[1]));
}

std::vector<Loop> contour_loops(const MarginalGrid& grid, double threshold) {
  HONE_ASSERT(grid.axes.size() == 2 && threshold > 0);
  std::vector<Loop> loops;
  for (const CellBlock& first : blocks_of(grid.axes[0])) {
    for (const CellBlock& second : blocks_of(grid.axes[1])) {
      Tracer(grid, first, second, threshold).trace(loops);
    }
  }
  return loops;
}

Loop simplify(const Loop& loop, double tolerance) {
  if (loop.size() < 4) return loop;
  Loop closed = loop;
  closed.push_back(loop.front());
  std::vector<bool> keep(closed.size(), false);
  keep.front() = keep.back() = true;
  keep_far_points(closed, 0, closed.size() - 1, tolerance, keep);
  Loop result;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    if (keep[i]) result.push_back(loop[i]);
  }
  return result;
}

double loop_area(const Loop& loop) {
  double twice = 0;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Point &a = loop[i], &b = loop[(i + 1) % loop.size()];
    twice += a.x * b.y - b.x * a.y;
  }
  return twice / 2;
}

}  // namespace hone
