#include "hone/inference/axis_cut.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

// log r - max log r of the network that is highest at each cell: a cell survives if any keeps it.
std::vector<double> most_generous(MatrixView<const float> log_ratios) {
  std::vector<double> best(static_cast<std::size_t>(log_ratios.cols()),
                           -std::numeric_limits<double>::infinity());
  for (Index e = 0; e < log_ratios.rows(); ++e) {
    const auto row = log_ratios.row(e);
    const float peak = *std::ranges::max_element(row);
    for (std::size_t i = 0; i < best.size(); ++i) {
      best[i] = std::max(best[i], static_cast<double>(row[i] - peak));
    }
  }
  return best;
}

// Posterior mass of each cell, the mean over the ensemble.
std::vector<double> cell_masses(MatrixView<const float> log_ratios) {
  std::vector<double> mass(static_cast<std::size_t>(log_ratios.cols()), 0.0);
  for (Index e = 0; e < log_ratios.rows(); ++e) {
    const auto row = log_ratios.row(e);
    const double peak = static_cast<double>(*std::ranges::max_element(row));
    double sum = 0;
    for (const float value : row) sum += std::exp(static_cast<double>(value) - peak);
    for (std::size_t i = 0; i < mass.size(); ++i) {
      mass[i] += std::exp(static_cast<double>(row[i]) - peak) / sum /
                 static_cast<double>(log_ratios.rows());
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

double mass_between(std::span<const double> mass, Index begin, Index end) {
  double sum = 0;
  for (Index i = begin; i < end; ++i) sum += mass[static_cast<std::size_t>(i)];
  return sum;
}

}  // namespace

AxisCut cut_axis(MatrixView<const float> log_ratios, const TruncationOptions& options) {
  check_finite(log_ratios);
  const Index cells = log_ratios.cols();
  AxisCut cut;
  cut.log_ratio = most_generous(log_ratios);
  cut.kept = padded_ranges(kept_ranges(cut.log_ratio, options), cells, options.padding);
  const std::vector<double> mass = cell_masses(log_ratios);
  Index outside = 0;  // first cell after the ranges seen so far
  for (const CellRange& range : cut.kept) {
    cut.lost_mass += mass_between(mass, outside, range.begin);
    outside = range.end;
  }
  cut.lost_mass += mass_between(mass, outside, cells);
  const double peak = *std::ranges::max_element(mass);
  cut.edge_low = mass[static_cast<std::size_t>(cut.kept.front().begin)] / peak;
  cut.edge_high = mass[static_cast<std::size_t>(cut.kept.back().end - 1)] / peak;
  return cut;
}

}  // namespace hone
