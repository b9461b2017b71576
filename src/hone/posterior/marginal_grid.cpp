#include "hone/posterior/marginal_grid.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hone/core/error.h"

namespace hone {

namespace {

// Cells of each interval of an axis, as many as its share of the mass, one at the least.
std::vector<Index> cells_per_interval(const std::vector<Interval>& intervals, double total,
                                      Index cells) {
  std::vector<Index> counts;
  for (const Interval& interval : intervals) {
    const double share = interval.mass() / total * static_cast<double>(cells);
    counts.push_back(std::max<Index>(1, std::llround(share)));
  }
  return counts;
}

Matrix<float> centers(const std::vector<GridAxis>& axes) {
  const std::size_t last = axes.back().cells();
  const std::size_t first = axes.size() == 2 ? axes[0].cells() : 1;
  Matrix<float> points(static_cast<Index>(first * last), std::ssize(axes));
  for (std::size_t i = 0; i < first * last; ++i) {
    const Index row = static_cast<Index>(i);
    if (axes.size() == 2) points(row, 0) = static_cast<float>(axes[0].local[i / last]);
    points(row, points.cols() - 1) = static_cast<float>(axes.back().local[i % last]);
  }
  return points;
}

// p(theta) of the truncated prior at the cell centres of an axis.
std::vector<double> prior_densities(const TruncatedPrior& prior, int d, const GridAxis& axis) {
  std::vector<double> densities;
  for (const double theta : axis.theta) {
    densities.push_back(std::exp(prior.prior()[d].log_density(theta)) / prior.axis(d).mass());
  }
  return densities;
}

// Weights times exp(log), as fractions of their sum.
std::vector<double> normalized(std::span<const double> log, std::span<const double> weight) {
  const double peak = *std::ranges::max_element(log);
  std::vector<double> result;
  for (std::size_t i = 0; i < log.size(); ++i) {
    result.push_back(weight[i] * std::exp(log[i] - peak));
  }
  const double sum = std::accumulate(result.begin(), result.end(), 0.0);
  for (double& value : result) value /= sum;
  return result;
}

}  // namespace

namespace {

GridAxis axis_of_values(const TruncatedPrior& prior, int d) {
  constexpr double kHalf = 0.4;
  GridAxis axis;
  const Distribution& distribution = prior.prior()[d];
  for (const double value : prior.values_inside(d)) {
    axis.theta.push_back(value);
    axis.low.push_back(value - kHalf);
    axis.high.push_back(value + kHalf);
    axis.local.push_back(prior.to_local(d, value));
    axis.width.push_back(unit_interval(distribution, value).mass() / prior.axis(d).mass());
    axis.names.push_back(distribution.value_name(value));
  }
  return axis;
}

}  // namespace

GridAxis make_grid_axis(const TruncatedPrior& prior, int d, Index cells) {
  if (prior.prior()[d].discrete()) return axis_of_values(prior, d);
  const std::vector<Interval>& intervals = prior.region().axis(d);
  const double total = prior.axis(d).mass();
  const auto counts = cells_per_interval(intervals, total, cells);
  GridAxis axis;
  double below = 0;
  for (std::size_t k = 0; k < intervals.size(); ++k) {
    const double mass = intervals[k].mass(), n = static_cast<double>(counts[k]);
    const auto theta_at = [&](double cell) {
      return to_theta(prior.prior()[d],
                      point_inside(intervals[k], mass * cell / n, mass * (n - cell) / n));
    };
    for (Index i = 0; i < counts[k]; ++i) {
      const double at = static_cast<double>(i);
      axis.low.push_back(i == 0 ? theta_at(0) : axis.high.back());
      axis.theta.push_back(theta_at(at + 0.5));
      axis.high.push_back(theta_at(at + 1));
      axis.local.push_back((below + mass * (at + 0.5) / n) / total);
      axis.width.push_back(mass / n / total);
    }
    below += mass;
  }
  return axis;
}

MarginalGrid make_grid(const MarginalPosterior& posterior, Index cells) {
  HONE_ASSERT(posterior.dimensions() == 1 || posterior.dimensions() == 2);
  MarginalGrid grid;
  grid.marginal = posterior.marginal();
  std::vector<double> width{1}, prior_density{1};  // per cell of the product of axes
  for (const int d : grid.marginal) {
    grid.axes.push_back(make_grid_axis(posterior.prior(), d, cells));
    const auto densities = prior_densities(posterior.prior(), d, grid.axes.back());
    std::vector<double> widths_so_far, densities_so_far;
    for (std::size_t i = 0; i < width.size(); ++i) {
      for (std::size_t j = 0; j < densities.size(); ++j) {
        widths_so_far.push_back(width[i] * grid.axes.back().width[j]);
        densities_so_far.push_back(prior_density[i] * densities[j]);
      }
    }
    width = std::move(widths_so_far);
    prior_density = std::move(densities_so_far);
  }
  const Matrix<float> local = centers(grid.axes);
  grid.mass = normalized(posterior.log_density_local(local), width);
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    grid.density.push_back(grid.mass[i] / width[i] * prior_density[i]);
  }
  if (grid.marginal.size() == 2) return grid;
  grid.member_weights = posterior.weights();
  const Matrix<double> members = posterior.member_log_densities(local);
  for (Index e = 0; e < members.rows(); ++e) {
    const auto mass = normalized(members.row(e), width);
    grid.member_means.push_back(
        std::inner_product(mass.begin(), mass.end(), grid.axes[0].theta.begin(), 0.0));
  }
  return grid;
}

std::vector<double> MarginalGrid::axis_mass(Index axis) const {
  if (marginal.size() == 1) return mass;
  const std::size_t n = axes[1].cells();
  std::vector<double> result(axes[std::size_t(axis)].cells(), 0.0);
  for (std::size_t i = 0; i < mass.size(); ++i) result[axis == 0 ? i / n : i % n] += mass[i];
  return result;
}

double grid_mean(const MarginalGrid& grid, Index axis) {
  const auto mass = grid.axis_mass(axis);
  return std::inner_product(mass.begin(), mass.end(), grid.axes[std::size_t(axis)].theta.begin(),
                            0.0);
}

double grid_deviation(const MarginalGrid& grid, Index axis) {
  const auto mass = grid.axis_mass(axis);
  const double mean = grid_mean(grid, axis);
  double square = 0;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    const double distance = grid.axes[std::size_t(axis)].theta[i] - mean;
    square += mass[i] * distance * distance;
  }
  return std::sqrt(square);
}

// Linear inside the cell that the probability falls into.
double grid_quantile(const MarginalGrid& grid, double probability, Index axis) {
  const auto mass = grid.axis_mass(axis);
  const GridAxis& cells = grid.axes[std::size_t(axis)];
  double below = 0;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    if (below + mass[i] >= probability && mass[i] > 0) {
      if (cells.discrete()) return cells.theta[i];
      const double low = std::isfinite(cells.low[i]) ? cells.low[i] : cells.theta[i];
      const double high = std::isfinite(cells.high[i]) ? cells.high[i] : cells.theta[i];
      return low + (high - low) * std::clamp((probability - below) / mass[i], 0.0, 1.0);
    }
    below += mass[i];
  }
  return cells.theta.back();
}

double density_at_level(const MarginalGrid& grid, double level) {
  std::vector<std::size_t> order(grid.mass.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return grid.density[i]; });
  double inside = 0;
  for (const std::size_t i : order) {
    inside += grid.mass[i];
    if (inside >= level) return grid.density[i];
  }
  return 0;
}

std::vector<ThetaInterval> highest_density_intervals(const MarginalGrid& grid, double level) {
  HONE_ASSERT(grid.marginal.size() == 1);
  const double threshold = density_at_level(grid, level);
  const GridAxis& axis = grid.axes[0];
  std::vector<ThetaInterval> intervals;
  bool open = false;
  for (std::size_t i = 0; i < axis.cells(); ++i) {
    const bool inside = grid.density[i] >= threshold;
    const bool joined = axis.discrete() ? i > 0 && axis.theta[i] == axis.theta[i - 1] + 1
                                        : i > 0 && axis.high[i - 1] == axis.low[i];
    const ThetaInterval cell = axis.discrete() ? ThetaInterval{axis.theta[i], axis.theta[i]}
                                               : ThetaInterval{axis.low[i], axis.high[i]};
    if (inside && open && joined) {
      intervals.back().high = cell.high;
    } else if (inside) {
      intervals.push_back(cell);
    }
    open = inside;
  }
  return intervals;
}

std::vector<NamedArray> to_arrays(const MarginalGrid& grid, const std::string& name) {
  std::vector<NamedArray> arrays;
  std::vector<Index> shape;
  for (std::size_t k = 0; k < grid.axes.size(); ++k) {
    const GridAxis& axis = grid.axes[k];
    shape.push_back(std::ssize(axis.theta));
    arrays.push_back({fmt::format("{}.theta{}", name, k), {shape.back()}, axis.theta});
    arrays.push_back({fmt::format("{}.low{}", name, k), {shape.back()}, axis.low});
    arrays.push_back({fmt::format("{}.high{}", name, k), {shape.back()}, axis.high});
  }
  arrays.push_back({name + ".mass", shape, grid.mass});
  arrays.push_back({name + ".density", shape, grid.density});
  return arrays;
}

MarginalGrid grid_from_arrays(std::span<const NamedArray> arrays, const std::string& name,
                              const Marginal& marginal) {
  const auto values = [&](const std::string& part, std::span<const Index> shape) {
    const auto found = array_values<double>(arrays, name + part, shape);
    return std::vector<double>(found.begin(), found.end());
  };
  MarginalGrid grid;
  grid.marginal = marginal;
  std::vector<Index> shape;
  for (std::size_t k = 0; k < marginal.size(); ++k) {
    GridAxis axis;
    axis.theta = values(fmt::format(".theta{}", k), std::array<Index, 1>{-1});
    shape.push_back(std::ssize(axis.theta));
    const std::array<Index, 1> cells{shape.back()};
    axis.low = values(fmt::format(".low{}", k), cells);
    axis.high = values(fmt::format(".high{}", k), cells);
    grid.axes.push_back(std::move(axis));
  }
  grid.mass = values(".mass", shape);
  grid.density = values(".density", shape);
  if (grid.mass.empty()) fail(ErrorKind::io, "{}: there are no cells", name);
  return grid;
}

}  // namespace hone
