#include "hone/posterior/grid_difference.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "hone/core/error.h"

namespace hone {
namespace {

constexpr std::size_t kBins1d = 10, kBins2d = 5;

// The bin of each cell of an axis: cells in a row that hold about as much mass as those of any
// other bin.
std::vector<std::size_t> bins_of(const std::vector<double>& mass, std::size_t bins) {
  std::vector<std::size_t> result;
  double below = 0;
  for (const double own : mass) {
    const double middle = std::clamp(below + own / 2, 0.0, 1.0);
    result.push_back(std::min(bins - 1, static_cast<std::size_t>(middle * double(bins))));
    below += own;
  }
  return result;
}

// The cell that holds theta, or the nearest one above; outside the first or the last.
std::size_t cell_of(const GridAxis& axis, double theta) {
  const auto found = std::ranges::lower_bound(axis.high, theta);
  return std::min(static_cast<std::size_t>(found - axis.high.begin()), axis.cells() - 1);
}

}  // namespace

double grid_difference(const MarginalGrid& grid, MatrixView<const double> draws) {
  const std::size_t axes = grid.axes.size();
  HONE_ASSERT((axes == 1 || axes == 2) && draws.cols() == std::ssize(grid.axes));
  const std::size_t bins = axes == 1 ? kBins1d : kBins2d;
  std::vector<std::vector<std::size_t>> bin;  // axis by axis, of each cell
  for (std::size_t a = 0; a < axes; ++a) {
    bin.push_back(bins_of(grid.axis_mass(static_cast<Index>(a)), bins));
  }
  std::vector<double> difference(axes == 1 ? bins : bins * bins);
  const std::size_t last = grid.axes.back().cells();
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    const std::size_t first_bin = axes == 1 ? 0 : bin[0][i / last];
    difference[first_bin * bins + bin.back()[i % last]] += grid.mass[i];
  }
  for (Index i = 0; i < draws.rows(); ++i) {
    std::size_t at = 0;
    for (std::size_t a = 0; a < axes; ++a) {
      at = at * bins + bin[a][cell_of(grid.axes[a], draws(i, static_cast<Index>(a)))];
    }
    difference[at] -= 1 / static_cast<double>(draws.rows());
  }
  double sum = 0;
  for (const double one : difference) sum += std::abs(one);
  return sum / 2;
}

// Counts scatter like normal numbers with the variance of their mean, whose mean size is
// sqrt(2 / pi) standard deviations.
double difference_by_chance(Index draws) {
  constexpr double kBins = kBins2d * kBins2d;
  return std::sqrt(kBins / (2 * std::numbers::pi * static_cast<double>(draws)));
}

}  // namespace hone
