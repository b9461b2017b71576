#include "hone/report/sample_grid.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"

namespace hone {
namespace {

GridAxis even_axis(const ThetaInterval& bounds, Index cells) {
  GridAxis axis;
  const double width = (bounds.high - bounds.low) / static_cast<double>(cells);
  for (Index i = 0; i < cells; ++i) {
    axis.low.push_back(bounds.low + width * static_cast<double>(i));
    axis.high.push_back(i + 1 < cells ? bounds.low + width * static_cast<double>(i + 1)
                                      : bounds.high);
    axis.theta.push_back((axis.low.back() + axis.high.back()) / 2);
    axis.local.push_back((static_cast<double>(i) + 0.5) / static_cast<double>(cells));
    axis.width.push_back(1 / static_cast<double>(cells));
  }
  return axis;
}

double deviation(MatrixView<const double> samples, Index column) {
  const double n = static_cast<double>(samples.rows());
  double mean = 0, square = 0;
  for (Index i = 0; i < samples.rows(); ++i) mean += samples(i, column) / n;
  for (Index i = 0; i < samples.rows(); ++i) {
    square += (samples(i, column) - mean) * (samples(i, column) - mean) / n;
  }
  return std::sqrt(square);
}

// Smooths along one axis of mass, whose neighbours lie `stride` apart. sigma in cells.
void smooth(std::vector<double>& mass, Index cells, Index stride, double sigma) {
  const Index reach = std::min<Index>(static_cast<Index>(std::ceil(4 * sigma)), cells - 1);
  std::vector<double> kernel;
  for (Index i = -reach; i <= reach; ++i) {
    const double z = static_cast<double>(i) / std::max(sigma, 1e-9);
    kernel.push_back(std::exp(-z * z / 2));
  }
  std::vector<double> line(static_cast<std::size_t>(cells));
  const Index lines = std::ssize(mass) / cells;
  for (Index l = 0; l < lines; ++l) {
    const Index first = l / stride * stride * cells + l % stride;
    std::ranges::fill(line, 0.0);
    double total = 0;
    for (const double value : kernel) total += value;
    for (Index i = 0; i < cells; ++i) {
      const double value = mass[static_cast<std::size_t>(first + i * stride)] / total;
      if (value == 0) continue;
      for (Index k = -reach; k <= reach; ++k) {
        Index to = i + k;
        if (to < 0) to = -to - 1;
        if (to >= cells) to = 2 * cells - 1 - to;
        line[static_cast<std::size_t>(to)] += value * kernel[static_cast<std::size_t>(k + reach)];
      }
    }
    for (Index i = 0; i < cells; ++i) {
      mass[static_cast<std::size_t>(first + i * stride)] = line[static_cast<std::size_t>(i)];
    }
  }
}

}  // namespace

MarginalGrid grid_of_samples(MatrixView<const double> samples, const Marginal& marginal,
                             const std::vector<ThetaInterval>& bounds, Index cells) {
  const Index dimensions = samples.cols();
  HONE_ASSERT(dimensions >= 1 && dimensions <= 2 && samples.rows() >= 2);
  HONE_ASSERT(std::ssize(bounds) == dimensions && std::ssize(marginal) == dimensions);
  MarginalGrid grid{.marginal = marginal,
                    .axes = {},
                    .mass = std::vector<double>(
                        static_cast<std::size_t>(dimensions == 1 ? cells : cells * cells), 0.0),
                    .density = {},
                    .member_means = {},
                    .member_weights = {}};
  double cell_size = 1;
  for (const ThetaInterval& axis : bounds) {
    grid.axes.push_back(even_axis(axis, cells));
    cell_size *= (axis.high - axis.low) / static_cast<double>(cells);
  }
  double inside = 0;
  for (Index i = 0; i < samples.rows(); ++i) {
    Index cell = 0;
    bool outside = false;
    for (Index d = 0; d < dimensions; ++d) {
      const auto& [low, high] = bounds[static_cast<std::size_t>(d)];
      const double place = (samples(i, d) - low) / (high - low);
      outside = outside || !(place >= 0 && place < 1);
      cell = cell * cells + static_cast<Index>(place * static_cast<double>(cells));
    }
    if (outside) continue;
    ++grid.mass[static_cast<std::size_t>(cell)];
    ++inside;
  }
  if (inside == 0) fail(ErrorKind::input, "no sample lies inside the bounds of its parameters");
  for (double& value : grid.mass) value /= inside;
  for (Index d = 0; d < dimensions; ++d) {
    const auto& [low, high] = bounds[static_cast<std::size_t>(d)];
    const double width =
        deviation(samples, d) *
        std::pow(static_cast<double>(samples.rows()), -1 / (static_cast<double>(dimensions) + 4));
    smooth(grid.mass, cells, d + 1 < dimensions ? cells : 1,
           width / (high - low) * static_cast<double>(cells));
  }
  for (const double value : grid.mass) grid.density.push_back(value / cell_size);
  return grid;
}

}  // namespace hone
