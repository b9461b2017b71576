#include "hone/inference/axis_cut.h"

#include <algorithm>
#include <cmath>

#include "hone/core/error.h"

namespace hone {
namespace {

void check_finite(MatrixView<const float> log_ratios) {
  for (Index e = 0; e < log_ratios.rows(); ++e) {
    if (!std::ranges::all_of(log_ratios.row(e), [](float v) { return std::isfinite(v); })) {
      fail(ErrorKind::numerical,
           "truncation: the log ratio of network {} is not finite at the observation", e);
    }
  }
}

// (networks, cells): log r - max log r of each network, in every cell sorted from low to high. Row
// k - 1 is below a threshold exactly where k networks or more are.
Matrix<double> sorted_heights(MatrixView<const float> log_ratios) {
  Matrix<double> heights(log_ratios.rows(), log_ratios.cols());
  for (Index e = 0; e < heights.rows(); ++e) {
    const auto row = log_ratios.row(e);
    const float peak = *std::ranges::max_element(row);
    std::ranges::transform(row, heights.row(e).begin(),
                           [&](float value) { return static_cast<double>(value - peak); });
  }
  std::vector<double> cell(static_cast<std::size_t>(heights.rows()));
  for (Index i = 0; i < heights.cols(); ++i) {
    for (Index e = 0; e < heights.rows(); ++e) cell[static_cast<std::size_t>(e)] = heights(e, i);
    std::ranges::sort(cell);
    for (Index e = 0; e < heights.rows(); ++e) heights(e, i) = cell[static_cast<std::size_t>(e)];
  }
  return heights;
}

// Posterior mass of each cell, the weighted mean over the ensemble.
std::vector<double> cell_masses(MatrixView<const float> log_ratios,
                                std::span<const double> weights) {
  std::vector<double> mass(static_cast<std::size_t>(log_ratios.cols()), 0.0);
  for (Index e = 0; e < log_ratios.rows(); ++e) {
    const auto row = log_ratios.row(e);
    const double peak = static_cast<double>(*std::ranges::max_element(row));
    double sum = 0;
    for (const float value : row) sum += std::exp(static_cast<double>(value) - peak);
    for (std::size_t i = 0; i < mass.size(); ++i) {
      mass[i] +=
          weights[static_cast<std::size_t>(e)] * std::exp(static_cast<double>(row[i]) - peak) / sum;
    }
  }
  return mass;
}

// Pieces above the threshold, joined over gaps that are too narrow or too shallow to cut.
std::vector<CellRange> kept_ranges(std::span<const double> height, const TruncationOptions& o) {
  const double keep = std::log(o.epsilon), deep = keep - o.gap_margin;
  const Index cells = static_cast<Index>(height.size());
  std::vector<CellRange> ranges;
  for (Index i = 0; i < cells; ++i) {
    if (height[static_cast<std::size_t>(i)] <= keep) continue;
    if (!ranges.empty()) {
      const auto gap = height.subspan(static_cast<std::size_t>(ranges.back().end),
                                      static_cast<std::size_t>(i - ranges.back().end));
      const Index deep_cells = std::ranges::count_if(gap, [&](double h) { return h <= deep; });
      if (static_cast<double>(deep_cells) <= o.gap_width * static_cast<double>(cells)) {
        ranges.back().end = i + 1;
        continue;
      }
    }
    ranges.push_back({i, i + 1});
  }
  return ranges;
}

// Widened on both sides, by one cell at the least (the threshold may lie anywhere in it), and to
// what the grid resolves.
CellRange padded(CellRange range, Index cells, double padding) {
  const Index fraction = static_cast<Index>(std::ceil(padding * static_cast<double>(cells)));
  const Index missing = kResolvedCells - (range.end - range.begin);
  const Index pad = std::max(1 + fraction, missing);  // all of it on one side at an axis' end
  return {std::max<Index>(0, range.begin - pad), std::min(cells, range.end + pad)};
}

std::vector<CellRange> padded_ranges(const std::vector<CellRange>& ranges, Index cells,
                                     double padding) {
  std::vector<CellRange> result;
  for (const CellRange& kept : ranges) {
    const CellRange range = padded(kept, cells, padding);
    if (!result.empty() && range.begin <= result.back().end) {
      result.back().end = range.end;
    } else {
      result.push_back(range);
    }
  }
  return result;
}

double mass_outside(std::span<const double> mass, const std::vector<CellRange>& kept) {
  double sum = 0;
  Index outside = 0;  // first cell after the ranges seen so far
  const auto add_until = [&](Index end) {
    for (Index i = outside; i < end; ++i) sum += mass[static_cast<std::size_t>(i)];
  };
  for (const CellRange& range : kept) {
    add_until(range.begin);
    outside = range.end;
  }
  add_until(static_cast<Index>(mass.size()));
  return sum;
}

}  // namespace

std::vector<double> agreed_heights(MatrixView<const float> log_ratios,
                                   std::span<const double> weights, double epsilon) {
  HONE_ASSERT(static_cast<Index>(weights.size()) == log_ratios.rows());
  const Matrix<double> heights = sorted_heights(log_ratios);
  const std::vector<double> mass = cell_masses(log_ratios, weights);
  const Index networks = heights.rows();
  const double keep = std::log(epsilon);
  const auto loses_little = [&](Index agreeing) {
    const auto height = heights.row(agreeing - 1);
    double lost = 0, all = 0;
    for (std::size_t i = 0; i < mass.size(); ++i) {
      all += mass[i];
      if (height[i] <= keep) lost += mass[i];
    }
    return lost <= kOutvotedMass * all;
  };
  Index agreeing = networks / 2 + 1;
  while (agreeing < networks && !loses_little(agreeing)) ++agreeing;
  const auto height = heights.row(agreeing - 1);
  return {height.begin(), height.end()};
}

AxisCut cut_axis(MatrixView<const float> log_ratios, std::span<const double> weights,
                 const TruncationOptions& options) {
  check_finite(log_ratios);
  AxisCut cut;
  cut.log_ratio = agreed_heights(log_ratios, weights, options.epsilon);
  cut.kept = padded_ranges(kept_ranges(cut.log_ratio, options), log_ratios.cols(), options.padding);
  const std::vector<double> mass = cell_masses(log_ratios, weights);
  cut.lost_mass = mass_outside(mass, cut.kept);
  const double peak = *std::ranges::max_element(mass);
  cut.edge_low = mass[static_cast<std::size_t>(cut.kept.front().begin)] / peak;
  cut.edge_high = mass[static_cast<std::size_t>(cut.kept.back().end - 1)] / peak;
  return cut;
}

}  // namespace hone
