#include "hone/report/run_figures.h"

#include <algorithm>
#include <cmath>

#include "hone/report/label.h"
#include "hone/report/panel_grid.h"
#include "hone/report/run_scales.h"

namespace hone {
namespace {

const Stroke kGrid{{0.92, 0.92, 0.92}, 0.5};
const Stroke kReference{{0.45, 0.45, 0.45}, 0.7, {2.5, 2}};
const Stroke kCurve{palette::blue, 1.3};
const Color kBand = palette::blue.with_opacity(0.18);

// Rounds from light to dark.
Color round_color(std::size_t i, std::size_t count) {
  const double t = count < 2 ? 1 : static_cast<double>(i) / static_cast<double>(count - 1);
  const auto mix = [t](double light, double dark) { return std::lerp(light, dark, t); };
  return {mix(0.78, 0.0), mix(0.87, 0.30), mix(0.94, 0.55)};
}

// Regions of all rounds, and the final one.
std::vector<const Region*> regions_of(const ReportData& data) {
  std::vector<const Region*> regions;
  for (const Round& round : data.rounds) regions.push_back(&round.region);
  if (data.region) regions.push_back(&*data.region);
  return regions;
}

double u_low(const Interval& part) {
  return part.low.u;
}
double u_high(const Interval& part) {
  return 1 - part.high.complement;
}

Axis padded_axis(double low, double high, const std::string& label) {
  const double room = high > low ? 0.05 * (high - low) : 0.5;
  return {.low = low - room, .high = high + room, .label = label};
}

std::vector<double> epochs(std::size_t count) {
  std::vector<double> list;
  for (std::size_t i = 1; i <= count; ++i) list.push_back(static_cast<double>(i));
  return list;
}

std::vector<double> minus(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(a[i] - b[i]);
  return result;
}

// The name of a marginal, "a,b", as its parameters are written in the other figures; "mean of 1-d
// marginals" and the like as it is.
Label marginal_label(const std::string& marginal, const Prior& prior) {
  const auto names = prior.quantity_names(), labels = prior.quantity_labels();
  Label label;
  for (std::size_t begin = 0; begin <= marginal.size();) {
    const std::size_t end = std::min(marginal.find(',', begin), marginal.size());
    const std::string name = marginal.substr(begin, end - begin);
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return {{marginal}};
    if (!label.empty()) label.push_back({", "});
    for (LabelPiece& piece :
         parameter_label(name, labels[static_cast<std::size_t>(found - names.begin())])) {
      label.push_back(std::move(piece));
    }
    begin = end + 1;
  }
  return label;
}

// Each column in units of its own, if there are such.
ObservationBands in_own_units(ObservationBands bands, const std::vector<ColumnScale>& scales) {
  for (std::size_t i = 0; i < scales.size(); ++i) {
    for (auto* list : {&bands.observed, &bands.low, &bands.median, &bands.high}) {
      (*list)[i] = scales[i].of((*list)[i]);
    }
  }
  return bands;
}

}  // namespace

std::string truncation_figure(const ReportData& data, const Prior& prior, FigureFormat format) {
  const auto regions = regions_of(data);
  const auto count = static_cast<double>(regions.size());
  PanelGrid grid(format, static_cast<std::size_t>(prior.dimensions()));
  for (int d = 0; d < prior.dimensions(); ++d) {
    // Round 1 at the top.
    Axes axes = grid.next(unit_axis(prior, d), {.low = -count - 0.6,
                                                .high = -0.4,
                                                .label = "final         rounds         first",
                                                .ticks = false});
    for (std::size_t m = 0; m < regions.size(); ++m) {
      const double middle = -static_cast<double>(m) - 1;
      for (const Interval& part : regions[m]->axis(d)) {
        axes.band(std::vector{u_low(part), u_high(part)}, std::vector(2, middle - 0.34),
                  std::vector(2, middle + 0.34), round_color(m, regions.size()));
      }
    }
    axes.frame();
  }
  return grid.finish();
}

std::string region_figure(const ReportData& data, const Prior& prior,
                          const std::vector<std::pair<int, int>>& pairs, FigureFormat format) {
  const auto regions = regions_of(data);
  PanelGrid grid(format, pairs.size(), 120, 120);
  for (const auto& [a, b] : pairs) {
    Axes axes = grid.next(unit_axis(prior, a), unit_axis(prior, b));
    for (std::size_t m = 0; m < regions.size(); ++m) {
      for (const Interval& x : regions[m]->axis(a)) {
        for (const Interval& y : regions[m]->axis(b)) {
          axes.band(std::vector{u_low(x), u_high(x)}, std::vector(2, u_low(y)),
                    std::vector(2, u_high(y)), round_color(m, regions.size()));
        }
      }
    }
    axes.frame();
  }
  return grid.finish();
}

std::string ratio_figure(const ReportData& data, const Prior& prior, double epsilon,
                         FigureFormat format) {
  PanelGrid grid(format, static_cast<std::size_t>(prior.dimensions()));
  const double threshold = std::log(epsilon);
  for (int d = 0; d < prior.dimensions(); ++d) {
    Axes axes = grid.next(unit_axis(prior, d),
                          {.low = 1.25 * threshold, .high = 0.8, .label = "log r / max r"});
    axes.line(std::vector{0.0, 1.0}, std::vector(2, threshold), kReference);
    for (std::size_t m = 0; m < data.rounds.size(); ++m) {
      if (data.rounds[m].cut.curves.empty()) continue;
      const RatioCurve& curve = data.rounds[m].cut.curves[static_cast<std::size_t>(d)];
      axes.line(curve.u, curve.log_ratio, {round_color(m, data.rounds.size()), 1.2});
    }
    axes.frame();
  }
  return grid.finish();
}

std::string training_figure(const std::vector<TrainingBands>& training, FigureFormat format) {
  PanelGrid grid(format, training.size());
  for (const TrainingBands& stage : training) {
    const LossBand& v = stage.validation;
    if (v.median.empty()) continue;
    const double low = std::min(*std::ranges::min_element(v.low),
                                *std::ranges::min_element(stage.training.median));
    const auto x = epochs(v.median.size());
    Axes axes = grid.next({.low = 0, .high = x.back() + 1, .label = "epoch"},
                          padded_axis(low, *std::ranges::max_element(v.high), "loss"));
    axes.grid(kGrid);
    axes.band(x, v.low, v.high, kBand);
    axes.line(epochs(stage.training.median.size()), stage.training.median, {palette::grey, 1});
    axes.line(x, v.median, kCurve);
    axes.frame();
    axes.title(stage.title);
  }
  return grid.finish();
}

namespace {

// A curve without the places where it is NaN.
struct KnownPlaces {
  KnownPlaces(const std::vector<Index>& columns, const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) continue;
      places.push_back(i);
      x.push_back(static_cast<double>(columns[i]));
    }
  }
  std::vector<double> of(const std::vector<double>& all) const {
    std::vector<double> some;
    for (const std::size_t i : places) some.push_back(all[i]);
    return some;
  }
  std::vector<std::size_t> places;
  std::vector<double> x;
};

}  // namespace

std::string observation_figure(const ObservationBands& raw, FigureFormat format) {
  const std::vector<ColumnScale> scales = column_scales(raw.low, raw.median, raw.high);
  const ObservationBands bands = in_own_units(raw, scales);
  PanelGrid grid(format, 1, 420, 150);
  const KnownPlaces simulated(bands.columns, bands.low), seen(bands.columns, bands.observed);
  const std::vector<double> observed = seen.of(bands.observed), &x = seen.x;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto* list : {&bands.low, &bands.high, &bands.observed}) {
    for (const double value : *list) {
      if (std::isnan(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (low > high) low = high = 0;  // no value is there at all
  Axes axes = grid.next({.low = static_cast<double>(bands.columns.front()) - 0.5,
                         .high = static_cast<double>(bands.columns.back()) + 0.5,
                         .label = bands.blocks.empty() ? "data value" : bands.blocks},
                        padded_axis(low, high, scales.empty() ? "value" : "of each column's band"));
  axes.band(simulated.x, simulated.of(bands.low), simulated.of(bands.high),
            palette::grey.with_opacity(0.35));
  axes.line(simulated.x, simulated.of(bands.median), {palette::grey, 1});
  if (x.size() <= 60) axes.markers(x, observed, Marker::circle, 4, palette::vermilion);
  axes.line(x, observed, {palette::vermilion, x.size() <= 60 ? 0.5 : 1.0});
  axes.frame();
  axes.title("observation, beside 95 % of simulations");
  return grid.finish();
}

std::string coverage_figure(const std::vector<CoverageCurve>& curves, const Prior& prior,
                            FigureFormat format) {
  PanelGrid grid(format, curves.size(), 120, 120);
  for (const CoverageCurve& curve : curves) {
    Axes axes = grid.next({.low = 0, .high = 1, .label = "nominal credibility"},
                          {.low = 0, .high = 1, .label = "empirical coverage"});
    axes.line(std::vector{0.0, 1.0}, std::vector{0.0, 1.0}, kReference);
    axes.band(curve.nominal, curve.low, curve.high, kBand);
    axes.line(curve.nominal, curve.empirical, kCurve);
    axes.frame();
    axes.title(marginal_label(curve.marginal, prior));
  }
  return grid.finish();
}

std::string sigma_figure(const std::vector<CoverageCurve>& curves, const Prior& prior,
                         FigureFormat format) {
  constexpr double kMost = 4;
  PanelGrid grid(format, curves.size(), 120, 120);
  for (const CoverageCurve& curve : curves) {
    Axes axes = grid.next({.low = 0, .high = kMost, .label = "nominal z"},
                          {.low = 0, .high = kMost, .label = "empirical z"});
    axes.line(std::vector{0.0, kMost}, std::vector{0.0, kMost}, kReference);
    for (const CoverageLevel& level : curve.levels) {
      const std::vector<double> at(2, level.z_nominal);
      const auto shown = [](double z) {
        return std::isfinite(z) ? std::min(z, 2 * kMost) : 2 * kMost;
      };
      axes.line(at, std::vector{shown(level.z_low), shown(level.z_high)}, kCurve);
      if (!std::isfinite(level.z_empirical) || level.z_empirical > kMost) continue;
      axes.markers(std::vector{level.z_nominal}, std::vector{level.z_empirical}, Marker::circle, 4,
                   palette::blue);
    }
    axes.frame();
    axes.title(marginal_label(curve.marginal, prior));
  }
  return grid.finish();
}

std::string ecdf_figure(const std::vector<EcdfCurve>& curves, const std::string& label,
                        const Prior& prior, FigureFormat format) {
  PanelGrid grid(format, curves.size());
  for (const EcdfCurve& curve : curves) {
    const auto low = minus(curve.low, curve.at), high = minus(curve.high, curve.at);
    const auto difference = minus(curve.ecdf, curve.at);
    double limit = 0;
    for (const auto* list : {&low, &high, &difference}) {
      for (const double value : *list) limit = std::max(limit, 1.15 * std::abs(value));
    }
    Axes axes = grid.next({.low = 0, .high = 1, .label = label},
                          {.low = -limit, .high = limit, .label = "ECDF − uniform"});
    axes.line(std::vector{0.0, 1.0}, std::vector{0.0, 0.0}, kReference);
    axes.band(curve.at, low, high, kBand);
    axes.line(curve.at, difference, kCurve);
    axes.frame();
    axes.title(marginal_label(curve.marginal, prior));
  }
  return grid.finish();
}

}  // namespace hone
