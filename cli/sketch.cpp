#include "cli/sketch.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "hone/core/error.h"

namespace hone::cli {
namespace {

constexpr int kColumns = 24;

// Where the density is above this fraction of its peak.
constexpr double kVisible = 0.005;

struct Range {
  double low = 0, high = 1;
};

Range visible_range(const MarginalGrid& grid) {
  const GridAxis& axis = grid.axes[0];
  const double peak = *std::ranges::max_element(grid.density);
  std::size_t first = axis.cells(), last = 0;
  for (std::size_t i = 0; i < axis.cells(); ++i) {
    if (grid.density[i] < kVisible * peak) continue;
    first = std::min(first, i);
    last = i;
  }
  return {std::isfinite(axis.low[first]) ? axis.low[first] : axis.theta[first],
          std::isfinite(axis.high[last]) ? axis.high[last] : axis.theta[last]};
}

std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string sketch(const MarginalGrid& grid, int columns) {
  static const char* const kBlocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  HONE_ASSERT(grid.axes.size() == 1 && columns > 0);
  const Range range = visible_range(grid);
  const GridAxis& axis = grid.axes[0];
  // Mass of each column: cells are split where they overlap two.
  std::vector<double> mass(static_cast<std::size_t>(columns), 0.0);
  const double width = (range.high - range.low) / columns;
  for (std::size_t i = 0; i < axis.cells(); ++i) {
    const double low = std::max(axis.low[i], range.low), high = std::min(axis.high[i], range.high);
    if (!(high > low)) continue;
    const double density = grid.mass[i] / (high - low);
    const auto first = static_cast<std::size_t>(std::max(0.0, (low - range.low) / width));
    for (std::size_t k = first; k < mass.size(); ++k) {
      const double begin = range.low + width * static_cast<double>(k);
      if (begin >= high) break;
      mass[k] += density * std::max(0.0, std::min(high, begin + width) - std::max(low, begin));
    }
  }
  const double peak = *std::ranges::max_element(mass);
  std::string blocks;
  for (const double value : mass) {
    blocks += kBlocks[peak > 0 ? static_cast<int>(std::ceil(8 * value / peak - 1e-3)) : 0];
  }
  return fmt::format("{:.3g} {} {:.3g}", range.low, blocks, range.high);
}

std::string with_sketches(const std::string& table, const std::vector<MarginalGrid>& grids) {
  std::istringstream lines(table);
  std::vector<std::string> left;
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) {
    widest = std::max(widest, columns_of(line));
    left.push_back(line);
  }
  // The numbers in front of the blocks end at the same place.
  std::vector<std::string> right;
  std::size_t before = 0;
  for (const MarginalGrid& grid : grids) {
    right.push_back(sketch(grid, kColumns));
    before = std::max(before, right.back().find(' '));
  }
  std::string text;
  for (std::size_t i = 0; i < left.size(); ++i) {
    text += left[i];
    if (i >= 1 && i <= right.size()) {
      const std::string& one = right[i - 1];
      text += std::string(widest - columns_of(left[i]) + 3 + before - one.find(' '), ' ') + one;
    }
    text += '\n';
  }
  return text;
}

}  // namespace hone::cli
