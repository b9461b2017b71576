#include "hone/inference/truncation.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "hone/core/error.h"
#include "hone/inference/axis_cut.h"
#include "hone/posterior/marginal_posterior.h"

namespace hone {
namespace {

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

// Of whole numbers each is kept or dropped: dropped where most networks are below epsilon. One that
// is so improbable that no cell of the grid is its own stays.
AxisCut cut_values(AxisCut cut, const TruncatedPrior& prior, int d, double epsilon) {
  std::map<double, double> height;  // by value
  double all = 0;
  for (std::size_t i = 0; i < cut.log_ratio.size(); ++i) {
    const double at = (static_cast<double>(i) + 0.5) / static_cast<double>(cut.log_ratio.size());
    height[prior.to_theta(d, at)] = cut.log_ratio[i];
    all += std::exp(cut.log_ratio[i]);
  }
  cut.lost_mass = cut.edge_low = cut.edge_high = 0;
  for (const double value : prior.values_inside(d)) {
    const auto found = height.find(value);
    if (found == height.end() || found->second > std::log(epsilon)) cut.values.push_back(value);
  }
  for (const double log_ratio : cut.log_ratio) {
    if (log_ratio <= std::log(epsilon)) cut.lost_mass += std::exp(log_ratio) / all;
  }
  return cut;
}

std::vector<Interval> value_intervals(const std::vector<double>& values,
                                      const TruncatedPrior& prior, int d) {
  std::vector<Interval> intervals;
  for (const double value : values) intervals.push_back(unit_interval(prior.prior()[d], value));
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

Cut truncate(const AmortizedPosterior& answer, std::span<const double> observation,
             const TruncationOptions& options) {
  const AmortizedPosterior& posteriors = answer.quick();  // ratio networks, if others answer too
  const Region& old = posteriors.prior().region();
  const Matrix<float> features = posteriors.features(observation);
  const Matrix<float> centers = local_grid(options.grid, 1);
  std::vector<std::vector<Interval>> axes;
  std::vector<double> lost, low, high;
  std::vector<RatioCurve> curves;
  for (int d = 0; d < old.dimensions(); ++d) {
    const Index axis = posteriors.find({d});
    AxisCut cut = cut_axis(posteriors.log_densities(axis, features, centers),
                           posteriors.weights(axis), options);
    const bool discrete = posteriors.prior().prior()[d].discrete();
    if (discrete) cut = cut_values(std::move(cut), posteriors.prior(), d, options.epsilon);
    axes.push_back(discrete ? value_intervals(cut.values, posteriors.prior(), d)
                            : unit_intervals(cut.kept, options.grid, posteriors.prior().axis(d)));
    lost.push_back(cut.lost_mass);
    low.push_back(cut.edge_low);
    high.push_back(cut.edge_high);
    curves.push_back(thinned(cut.log_ratio, posteriors.prior().axis(d)));
  }
  // An interval mapped from local coordinates may span a gap cut earlier: intersect.
  Cut result{Region(std::move(axes)).intersect(old), 1, {}, lost, low, high, std::move(curves)};
  for (int d = 0; d < old.dimensions(); ++d) {
    result.axis_ratio.push_back(result.region.axis_mass(d) / old.axis_mass(d));
    result.mass_ratio *= result.axis_ratio.back();
  }
  result.mass_ratio *= result.region.acceptance() / old.acceptance();  // 1 without a constraint
  return result;
}

}  // namespace hone
