#include "hone/inference/truncation.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

// Cells [begin, end) of an axis' grid.
struct CellRange {
  Index begin, end;
};

Matrix<float> cell_centers(Index cells) {
  Matrix<float> centers(cells, 1);
  for (Index i = 0; i < cells; ++i) {
    centers(i, 0) = static_cast<float>((static_cast<double>(i) + 0.5) / static_cast<double>(cells));
  }
  return centers;
}

// log r - max log r of the network that is highest at each cell: a cell survives if any keeps it.
std::vector<double> most_generous(const Matrix<float>& log_ratios) {
  std::vector<double> best(static_cast<std::size_t>(log_ratios.cols()), -1e300);
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
std::vector<double> cell_masses(const Matrix<float>& log_ratios) {
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

// Widened on both sides, by one cell at the least: the threshold may lie anywhere in it.
std::vector<CellRange> padded_ranges(std::vector<CellRange> ranges, Index cells, double padding) {
  const Index pad = 1 + static_cast<Index>(std::ceil(padding * static_cast<double>(cells)));
  std::vector<CellRange> result;
  for (CellRange range : ranges) {
    range = {std::max<Index>(0, range.begin - pad), std::min(cells, range.end + pad)};
    if (!result.empty() && range.begin <= result.back().end) {
      result.back().end = range.end;
    } else {
      result.push_back(range);
    }
  }
  return result;
}

struct AxisCut {
  std::vector<Interval> intervals;
  double lost_mass = 0, edge_low = 0, edge_high = 0;
};

AxisCut truncate_axis(const RatioEstimator& ratios, int axis, const Matrix<float>& features,
                      const TruncationOptions& options) {
  const Index cells = options.grid;
  const Matrix<float> log_ratios =
      ratios.log_ratios(ratios.find({axis}), features, cell_centers(cells));
  const std::vector<double> mass = cell_masses(log_ratios);
  const auto ranges =
      padded_ranges(kept_ranges(most_generous(log_ratios), options), cells, options.padding);
  const TruncatedAxis& truncated = ratios.prior().axis(axis);
  AxisCut cut{.intervals = {}, .lost_mass = 1};
  for (const CellRange& range : ranges) {
    for (Index i = range.begin; i < range.end; ++i) {
      cut.lost_mass -= mass[static_cast<std::size_t>(i)];
    }
    const auto edge = [&](Index cell) {
      const double n = static_cast<double>(cells), at = static_cast<double>(cell);
      return truncated.to_unit({at / n, (n - at) / n});
    };
    cut.intervals.push_back({edge(range.begin), edge(range.end)});
  }
  cut.lost_mass = std::max(0.0, cut.lost_mass);
  const double peak = *std::ranges::max_element(mass);
  cut.edge_low = mass[static_cast<std::size_t>(ranges.front().begin)] / peak;
  cut.edge_high = mass[static_cast<std::size_t>(ranges.back().end - 1)] / peak;
  return cut;
}

}  // namespace

Cut truncate(const RatioEstimator& ratios, std::span<const double> observation,
             const TruncationOptions& options) {
  const Region& old = ratios.prior().region();
  const Matrix<float> features = ratios.features(observation);
  std::vector<std::vector<Interval>> axes;
  std::vector<double> lost, low, high;
  for (int d = 0; d < old.dimensions(); ++d) {
    AxisCut cut = truncate_axis(ratios, d, features, options);
    axes.push_back(std::move(cut.intervals));
    lost.push_back(cut.lost_mass);
    low.push_back(cut.edge_low);
    high.push_back(cut.edge_high);
  }
  // An interval mapped from local coordinates may span a gap cut earlier: intersect.
  Cut result{Region(std::move(axes)).intersect(old), 1, {}, lost, low, high};
  for (int d = 0; d < old.dimensions(); ++d) {
    result.axis_ratio.push_back(result.region.axis_mass(d) / old.axis_mass(d));
    result.mass_ratio *= result.axis_ratio.back();
  }
  return result;
}

}  // namespace hone
