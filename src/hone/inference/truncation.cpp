#include "hone/inference/truncation.h"

#include <algorithm>

#include "hone/core/error.h"
#include "hone/inference/axis_cut.h"

namespace hone {
namespace {

Matrix<float> cell_centers(Index cells) {
  Matrix<float> centers(cells, 1);
  for (Index i = 0; i < cells; ++i) {
    centers(i, 0) = static_cast<float>((static_cast<double>(i) + 0.5) / static_cast<double>(cells));
  }
  return centers;
}

// Ranges of cells as intervals in u.
std::vector<Interval> unit_intervals(const std::vector<CellRange>& ranges, Index cells,
                                     const TruncatedAxis& axis) {
  const auto edge = [&](Index cell) {
    const double n = static_cast<double>(cells), at = static_cast<double>(cell);
    return axis.to_unit({at / n, (n - at) / n});
  };
  std::vector<Interval> intervals;
  for (const CellRange& range : ranges) intervals.push_back({edge(range.begin), edge(range.end)});
  return intervals;
}

// The highest value in each of at most 128 groups of cells: no peak is lost.
RatioCurve thinned(const std::vector<double>& log_ratio, const TruncatedAxis& axis) {
  constexpr std::size_t kPoints = 128;
  const std::size_t cells = log_ratio.size(), group = (cells + kPoints - 1) / kPoints;
  RatioCurve curve;
  for (std::size_t i = 0; i < cells; i += group) {
    const std::size_t end = std::min(i + group, cells);
    const double at = 0.5 * static_cast<double>(i + end) / static_cast<double>(cells);
    curve.u.push_back(axis.to_unit({at, 1 - at}).u);
    curve.log_ratio.push_back(*std::max_element(log_ratio.begin() + static_cast<Index>(i),
                                                log_ratio.begin() + static_cast<Index>(end)));
  }
  return curve;
}

}  // namespace

double padding_for(const TruncationOptions& options, Index rows) {
  HONE_ASSERT(rows > 0);
  return std::clamp(options.padding_rows / static_cast<double>(rows), options.padding, 1.0);
}

Cut truncate(const RatioEstimator& ratios, Index rows, std::span<const double> observation,
             TruncationOptions options) {
  options.padding = padding_for(options, rows);
  const Region& old = ratios.prior().region();
  const Matrix<float> features = ratios.features(observation);
  const Matrix<float> centers = cell_centers(options.grid);
  std::vector<std::vector<Interval>> axes;
  std::vector<double> lost, low, high;
  std::vector<RatioCurve> curves;
  for (int d = 0; d < old.dimensions(); ++d) {
    const Index axis = ratios.find({d});
    const AxisCut cut =
        cut_axis(ratios.log_ratios(axis, features, centers), ratios.weights(axis), options);
    axes.push_back(unit_intervals(cut.kept, options.grid, ratios.prior().axis(d)));
    lost.push_back(cut.lost_mass);
    low.push_back(cut.edge_low);
    high.push_back(cut.edge_high);
    curves.push_back(thinned(cut.log_ratio, ratios.prior().axis(d)));
  }
  // An interval mapped from local coordinates may span a gap cut earlier: intersect.
  Cut result{Region(std::move(axes)).intersect(old), 1, {}, lost, low, high, std::move(curves)};
  for (int d = 0; d < old.dimensions(); ++d) {
    result.axis_ratio.push_back(result.region.axis_mass(d) / old.axis_mass(d));
    result.mass_ratio *= result.axis_ratio.back();
  }
  return result;
}

}  // namespace hone
