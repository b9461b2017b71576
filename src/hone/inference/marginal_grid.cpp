#include "hone/inference/marginal_grid.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hone/core/error.h"

namespace hone {

MarginalGrid make_grid(const MarginalPosterior& posterior, Index cells) {
  const Index dimensions = posterior.dimensions();
  HONE_ASSERT(dimensions == 1 || dimensions == 2);
  const TruncatedPrior& prior = posterior.prior();
  MarginalGrid grid{.marginal = posterior.marginal(),
                    .cells = cells,
                    .theta = {},
                    .edges = {},
                    .mass = {},
                    .density = {},
                    .member_means = {}};
  std::vector<std::vector<double>> prior_density;
  for (const int d : grid.marginal) {
    std::vector<double> centers, edges, densities;
    for (Index i = 0; i < cells; ++i) {
      const double n = static_cast<double>(cells);
      edges.push_back(prior.to_theta(d, static_cast<double>(i) / n));
      centers.push_back(prior.to_theta(d, (static_cast<double>(i) + 0.5) / n));
      densities.push_back(std::exp(prior.prior()[d].log_density(centers.back())) /
                          prior.axis(d).mass());
    }
    edges.push_back(prior.to_theta(d, 1));
    grid.theta.push_back(std::move(centers));
    grid.edges.push_back(std::move(edges));
    prior_density.push_back(std::move(densities));
  }
  const Matrix<float> local = local_grid(cells, dimensions);
  const std::vector<double> log_density = posterior.log_density_local(local);
  double total = 0;
  for (const double value : log_density) total += std::exp(value);
  for (std::size_t i = 0; i < log_density.size(); ++i) {
    grid.mass.push_back(std::exp(log_density[i]) / total);
    const std::size_t n = static_cast<std::size_t>(cells);
    double density = grid.mass.back() * std::pow(static_cast<double>(cells), double(dimensions));
    density *= prior_density[0][dimensions == 1 ? i : i / n];
    if (dimensions == 2) density *= prior_density[1][i % n];
    grid.density.push_back(density);
  }
  if (dimensions == 1) {
    const Matrix<double> members = posterior.member_log_densities(local);
    for (Index e = 0; e < members.rows(); ++e) {
      double sum = 0, mean = 0;
      for (Index i = 0; i < cells; ++i) {
        sum += std::exp(members(e, i));
        mean += std::exp(members(e, i)) * grid.theta[0][static_cast<std::size_t>(i)];
      }
      grid.member_means.push_back(mean / sum);
    }
  }
  return grid;
}

std::vector<double> MarginalGrid::axis_mass(Index axis) const {
  if (marginal.size() == 1) return mass;
  std::vector<double> result(static_cast<std::size_t>(cells), 0.0);
  for (std::size_t i = 0; i < mass.size(); ++i) {
    const std::size_t n = static_cast<std::size_t>(cells);
    result[axis == 0 ? i / n : i % n] += mass[i];
  }
  return result;
}

double grid_mean(const MarginalGrid& grid, Index axis) {
  const auto mass = grid.axis_mass(axis);
  return std::inner_product(mass.begin(), mass.end(), grid.theta[std::size_t(axis)].begin(), 0.0);
}

double grid_deviation(const MarginalGrid& grid, Index axis) {
  const auto mass = grid.axis_mass(axis);
  const double mean = grid_mean(grid, axis);
  double square = 0;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    const double distance = grid.theta[std::size_t(axis)][i] - mean;
    square += mass[i] * distance * distance;
  }
  return std::sqrt(square);
}

// Linear inside the cell that the probability falls into.
double grid_quantile(const MarginalGrid& grid, double probability, Index axis) {
  const auto mass = grid.axis_mass(axis);
  const auto& edges = grid.edges[static_cast<std::size_t>(axis)];
  double below = 0;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    if (below + mass[i] >= probability && mass[i] > 0) {
      const double low = std::isfinite(edges[i]) ? edges[i] : grid.theta[std::size_t(axis)][i];
      const double high =
          std::isfinite(edges[i + 1]) ? edges[i + 1] : grid.theta[std::size_t(axis)][i];
      return low + (high - low) * std::clamp((probability - below) / mass[i], 0.0, 1.0);
    }
    below += mass[i];
  }
  return grid.theta[static_cast<std::size_t>(axis)].back();
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
  std::vector<ThetaInterval> intervals;
  bool open = false;
  for (std::size_t i = 0; i < grid.density.size(); ++i) {
    const bool inside = grid.density[i] >= threshold;
    if (inside && open) {
      intervals.back().high = grid.edges[0][i + 1];
    } else if (inside) {
      intervals.push_back({grid.edges[0][i], grid.edges[0][i + 1]});
    }
    open = inside;
  }
  return intervals;
}

std::vector<NamedArray> to_arrays(const MarginalGrid& grid, const std::string& name) {
  std::vector<NamedArray> arrays;
  for (std::size_t axis = 0; axis < grid.theta.size(); ++axis) {
    arrays.push_back({fmt::format("{}.theta{}", name, axis), {grid.cells}, grid.theta[axis]});
    arrays.push_back({fmt::format("{}.edges{}", name, axis), {grid.cells + 1}, grid.edges[axis]});
  }
  const std::vector<Index> shape(grid.marginal.size(), grid.cells);
  arrays.push_back({name + ".mass", shape, grid.mass});
  arrays.push_back({name + ".density", shape, grid.density});
  return arrays;
}

}  // namespace hone
