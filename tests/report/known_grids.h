#pragma once

#include <cmath>
#include <functional>
#include <numbers>

#include "hone/posterior/marginal_grid.h"

// Grids of densities that are known in closed form.

namespace hone {

inline GridAxis even_axis(double low, double high, int cells) {
  GridAxis axis;
  for (int i = 0; i < cells; ++i) {
    const auto edge = [&](double at) { return low + (high - low) * at / cells; };
    axis.low.push_back(i == 0 ? low : axis.high.back());
    axis.theta.push_back(edge(i + 0.5));
    axis.high.push_back(edge(i + 1));
  }
  return axis;
}

inline MarginalGrid make_grid_1d(int d, GridAxis axis, const std::function<double(double)>& pdf) {
  MarginalGrid grid;
  grid.marginal = {d};
  double sum = 0;
  for (std::size_t i = 0; i < axis.cells(); ++i) {
    grid.density.push_back(pdf(axis.theta[i]));
    grid.mass.push_back(grid.density.back() * (axis.high[i] - axis.low[i]));
    sum += grid.mass.back();
  }
  for (double& value : grid.mass) value /= sum;
  for (double& value : grid.density) value /= sum;
  grid.axes = {std::move(axis)};
  return grid;
}

inline MarginalGrid make_grid_2d(Marginal marginal, GridAxis x, GridAxis y,
                                 const std::function<double(double, double)>& pdf) {
  MarginalGrid grid;
  grid.marginal = std::move(marginal);
  double sum = 0;
  for (std::size_t i = 0; i < x.cells(); ++i) {
    for (std::size_t j = 0; j < y.cells(); ++j) {
      grid.density.push_back(pdf(x.theta[i], y.theta[j]));
      grid.mass.push_back(grid.density.back() * (x.high[i] - x.low[i]) * (y.high[j] - y.low[j]));
      sum += grid.mass.back();
    }
  }
  for (double& value : grid.mass) value /= sum;
  for (double& value : grid.density) value /= sum;
  grid.axes = {std::move(x), std::move(y)};
  return grid;
}

// A Gaussian with this mean, standard deviations and correlation, up to its norm.
struct Gaussian2d {
  double x = 0, y = 0, sigma_x = 1, sigma_y = 1, correlation = 0;
  double operator()(double a, double b) const {
    const double u = (a - x) / sigma_x, v = (b - y) / sigma_y, r = correlation;
    return std::exp(-(u * u - 2 * r * u * v + v * v) / (2 * (1 - r * r)));
  }
  // Of the ellipse that holds this probability: chi-squared with two degrees of freedom.
  double area(double level) const {
    const double square = -2 * std::log(1 - level);
    return std::numbers::pi * sigma_x * sigma_y * std::sqrt(1 - correlation * correlation) * square;
  }
};

}  // namespace hone
