#include "hone/bench/comparison_figure.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include "hone/core/error.h"
#include "hone/files/output_file.h"
#include "hone/inference/method.h"
#include "hone/report/axes.h"

namespace hone {
namespace {

// Half the 95 % interval of a mean of so few values.
double half_width(const MeanScore& score) {
  if (score.count < 2) return 0;
  const boost::math::students_t student(score.count - 1);
  return boost::math::quantile(student, 0.975) * score.standard_error;
}

void add_point(C2stSeries& series, Index budget, const MeanScore& score) {
  series.budgets.push_back(static_cast<double>(budget));
  series.means.push_back(score.mean);
  series.half_widths.push_back(half_width(score));
}

// hone's own line of a setting on a task, and the published ones on its observations.
class PanelMaker {
 public:
  PanelMaker(const std::vector<BenchRow>& rows, const std::vector<PublishedScore>& published)
      : rows_(rows), published_(published), variants_(variants_of(rows)) {}

  C2stPanel make(const std::string& task, std::size_t kind) const {
    C2stPanel panel{task, kMarginalKinds[kind], {}};
    for (const BenchVariant& variant : variants_) {
      C2stSeries series = own_series(variant);
      for (const ComparisonCell& cell : compare(rows_, variant, published_)) {
        if (cell.task == task) add_point(series, cell.budget, cell.by_kind[kind].hone);
      }
      if (!series.means.empty()) panel.series.push_back(std::move(series));
    }
    for (const std::string& method : published_methods()) {
      C2stSeries series = published_series(task, method, kMarginalKinds[kind]);
      if (!series.means.empty()) panel.series.push_back(std::move(series));
    }
    return panel;
  }

 private:
  // Beside published lines all of ours are hone; alone, each is its method.
  C2stSeries own_series(const BenchVariant& variant) const {
    if (published_.empty()) {
      const std::string& title = find_method(variant.method).title;
      return {title, title, {}, {}, {}};
    }
    return {"hone", variants_.size() == 1 ? "hone" : "hone: " + to_string(variant), {}, {}, {}};
  }

  C2stSeries published_series(const std::string& task, const std::string& method,
                              MarginalKind kind) const {
    std::set<int> observations;
    for (const BenchRow& row : rows_) {
      const bool same = row.run.task == task && row.run.reference == BenchCase::kSbibm;
      if (same) observations.insert(row.run.observation);
    }
    std::set<Index> budgets;
    for (const PublishedScore& score : published_) budgets.insert(score.budget);
    C2stSeries series{method, method == "TMNRE" ? "TMNRE (paper)" : method, {}, {}, {}};
    for (const Index budget : budgets) {
      const auto mean = published_mean(published_, method, task, budget,
                                       {observations.begin(), observations.end()}, kind);
      if (mean) add_point(series, budget, *mean);
    }
    return series;
  }

  const std::vector<BenchRow>& rows_;
  const std::vector<PublishedScore>& published_;
  std::vector<BenchVariant> variants_;
};

struct Look {
  Color color;
  double width = 1;
  std::vector<double> dashes = {};
  Marker marker = Marker::circle;
};

// Colour by family; solid if sequential, dashed if amortised, dotted if the prior is truncated.
Look look_of(const std::string& name) {
  const std::vector<double> dashed{3.5, 2}, dotted{1, 1.5};
  if (name == "hone") return {palette::black, 2, {}, Marker::circle};
  if (name == "TMNRE") return {palette::vermilion, 1.6, {}, Marker::square};
  if (name == "MNRE") return {palette::vermilion, 0.9, dashed, Marker::square};
  if (name == "SMNRE") return {palette::orange, 0.9, {}, Marker::square};
  if (name == "NRE") return {palette::blue, 0.9, dashed, Marker::triangle};
  if (name == "SNRE") return {palette::blue, 0.9, {}, Marker::triangle};
  if (name == "NPE") return {palette::green, 0.9, dashed, Marker::diamond};
  if (name == "SNPE") return {palette::green, 0.9, {}, Marker::diamond};
  if (name == "TNPE") return {palette::green, 0.9, dotted, Marker::diamond};
  if (name == "NLE") return {palette::purple, 0.9, dashed, Marker::circle};
  if (name == "SNLE") return {palette::purple, 0.9, {}, Marker::circle};
  if (name == "TNLE") return {palette::purple, 0.9, dotted, Marker::circle};
  return {palette::grey, 0.9, name == "REJ-ABC" ? dashed : std::vector<double>{}, Marker::square};
}

constexpr double kMarkerSize = 3;

// More than one line of ours: dotted ones come after the first.
Stroke stroke_of(const Look& look, int number) {
  Stroke stroke{look.color, look.width, look.dashes};
  if (number > 0) stroke.dashes = {1.5 * number, 1.5 * number};
  return stroke;
}

void draw_interval(Axes& axes, const C2stSeries& series, const Color& color) {
  std::vector<double> low, high;
  for (std::size_t i = 0; i < series.means.size(); ++i) {
    low.push_back(series.means[i] - series.half_widths[i]);
    high.push_back(series.means[i] + series.half_widths[i]);
  }
  axes.band(series.budgets, low, high, color.with_opacity(0.15));
  for (std::size_t i = 0; i < low.size(); ++i) {
    const double at = series.budgets[i];
    axes.line(std::vector{at, at}, std::vector{low[i], high[i]}, {color, 0.8});
  }
}

void draw_panel(Axes& axes, const C2stPanel& panel) {
  axes.grid({{0.9, 0.9, 0.9}, 0.5});
  int ours = 0;
  for (const C2stSeries& series : panel.series) {
    if (series.name != "hone") continue;
    draw_interval(axes, series, look_of(series.name).color);
    ++ours;
  }
  // From back to front: ours are the first of the list, and on top of all.
  for (auto series = panel.series.rbegin(); series != panel.series.rend(); ++series) {
    const Look look = look_of(series->name);
    const bool own = series->name == "hone";
    axes.line(series->budgets, series->means, stroke_of(look, own ? --ours : 0));
    axes.markers(series->budgets, series->means, look.marker, own ? 1.6 * kMarkerSize : kMarkerSize,
                 look.color);
  }
  axes.frame();
}

struct LegendEntry {
  std::string label;
  Look look;
  Stroke stroke;
};

std::vector<LegendEntry> legend_of(const C2stFigure& figure) {
  std::vector<LegendEntry> legend;
  int ours = 0;
  for (const C2stPanel& panel : figure.panels) {
    for (const C2stSeries& series : panel.series) {
      if (std::ranges::find(legend, series.label, &LegendEntry::label) != legend.end()) continue;
      const Look look = look_of(series.name);
      legend.push_back({series.label, look, stroke_of(look, series.name == "hone" ? ours++ : 0)});
    }
  }
  return legend;
}

constexpr double kSampleWidth = 20, kEntryGap = 14, kLegendLine = 14;
const TextStyle kLegendText{.size = 8.5, .vertical = 0.5};

// Entries line by line, as many as fit; the lines one after another in the result.
std::vector<std::vector<LegendEntry>> legend_lines(Canvas& canvas,
                                                   const std::vector<LegendEntry>& legend) {
  std::vector<std::vector<LegendEntry>> lines(1);
  double used = 0;
  for (const LegendEntry& entry : legend) {
    const double width = kSampleWidth + 4 + canvas.text_width(entry.label, kLegendText) + kEntryGap;
    if (used + width > canvas.width() - 40 && !lines.back().empty()) {
      lines.emplace_back();
      used = 0;
    }
    lines.back().push_back(entry);
    used += width;
  }
  return lines;
}

void draw_legend(Canvas& canvas, const std::vector<LegendEntry>& legend, double top) {
  for (const auto& line : legend_lines(canvas, legend)) {
    double width = -kEntryGap;
    for (const LegendEntry& entry : line) {
      width += kSampleWidth + 4 + canvas.text_width(entry.label, kLegendText) + kEntryGap;
    }
    double x = (canvas.width() - width) / 2;
    for (const LegendEntry& entry : line) {
      canvas.line(std::vector<Point>{{x, top}, {x + kSampleWidth, top}}, entry.stroke);
      canvas.marker(entry.look.marker, {x + kSampleWidth / 2, top}, 1.3 * kMarkerSize,
                    entry.look.color);
      canvas.text(entry.label, {x + kSampleWidth + 4, top}, kLegendText);
      x += kSampleWidth + 4 + canvas.text_width(entry.label, kLegendText) + kEntryGap;
    }
    top += kLegendLine;
  }
}

std::string title_of(std::string task) {
  std::ranges::replace(task, '_', ' ');
  return task;
}

Axis budget_axis(const C2stFigure& figure) {
  double low = 1e300, high = 0;
  for (const C2stPanel& panel : figure.panels) {
    for (const C2stSeries& series : panel.series) {
      for (const double budget : series.budgets) {
        low = std::min(low, budget);
        high = std::max(high, budget);
      }
    }
  }
  return {.low = low / 1.4, .high = high * 1.4, .logarithmic = true};
}

}  // namespace

C2stFigure c2st_figure(const std::vector<BenchRow>& rows,
                       const std::vector<PublishedScore>& published) {
  std::vector<std::string> tasks;
  for (const BenchRow& row : in_table_order(rows)) {
    if (std::ranges::find(tasks, row.run.task) == tasks.end()) tasks.push_back(row.run.task);
  }
  const PanelMaker maker(rows, published);
  C2stFigure figure;
  for (const std::string& task : tasks) {
    for (std::size_t kind = 0; kind < std::size(kMarginalKinds); ++kind) {
      figure.panels.push_back(maker.make(task, kind));
    }
  }
  return figure;
}

// Tasks side by side, four in a row; the 1-d panel of each above the 2-d one.
void draw_c2st_figure(const std::filesystem::path& file, const C2stFigure& figure) {
  HONE_ASSERT(!figure.panels.empty());
  constexpr double kWidth = 118, kHeight = 92, kGap = 9, kLeft = 46, kTop = 22, kFoot = 30;
  constexpr int kMostColumns = 4;
  const int tasks = static_cast<int>(figure.panels.size()) / 2;
  const int columns = std::min(kMostColumns, tasks), blocks = (tasks + columns - 1) / columns;
  const double block_height = kTop + 2 * kHeight + kGap + kFoot;
  const double width = std::max(kLeft + columns * (kWidth + kGap) + 3, 330.0);
  const std::vector<LegendEntry> legend = legend_of(figure);
  // A canvas as wide measures how many lines the legend takes.
  Canvas ruler(FigureFormat::svg, width, 10);
  const auto lines = static_cast<double>(legend_lines(ruler, legend).size());
  Canvas canvas(figure_format(file), width, blocks * block_height + 8 + lines * kLegendLine);

  for (int i = 0; i < 2 * tasks; ++i) {
    const C2stPanel& panel = figure.panels[static_cast<std::size_t>(i)];
    const int task = i / 2, row = i % 2, column = task % columns, block = task / columns;
    Axis x = budget_axis(figure);
    Axis y{.low = 0.48, .high = 1.02, .steps = 6};
    x.tick_labels = row == 1;
    y.tick_labels = column == 0;
    if (row == 1) x.label = "simulations";
    if (column == 0) y.label = fmt::format("C2ST, {}-d", row + 1);
    Axes axes(
        canvas,
        {kLeft + column * (kWidth + kGap), block * block_height + kTop + row * (kHeight + kGap)},
        kWidth, kHeight, x, y);
    draw_panel(axes, panel);
    if (row == 0) axes.title(title_of(panel.task));
  }
  draw_legend(canvas, legend, blocks * block_height + 8);
  write_output_file(file, canvas.finish());
}

}  // namespace hone
