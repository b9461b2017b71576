#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "hone/report/axes.h"
#include "hone/report/contours.h"
#include "hone/report/corner_plot.h"
#include "hone/report/corner_scale.h"
#include "hone/report/corner_style.h"
#include "hone/report/label.h"

namespace hone {
namespace {

constexpr double kTickSize = 7.5, kLabelSize = 9.5, kTitleSize = 8.5;

class Drawing {
 public:
  Drawing(const CornerPlot& plot, FigureFormat format, const CornerOptions& options)
      : plot_(plot),
        count_(plot.parameters.size()),
        panel_(options.panel > 0 ? options.panel : default_panel(count_)),
        gap_(std::clamp(0.06 * panel_, 3.0, 7.0)),
        titles_(options.titles && plot.layers.size() == 1 && panel_ >= 76),
        top_(titles_ ? 22 : 8),
        scales_(make_scales(plot, panel_)),
        left_(widest_label() + 26),
        foot_(any_slanted() ? 50 : 36),
        canvas_(format, left_ + side() + 8, top_ + side() + foot_,
                options.resolution > 0 ? options.resolution : default_resolution(count_)) {
    for (const CornerParameter& p : plot.parameters) {
      labels_.push_back(parameter_label(p.name, p.label));
    }
  }

  std::string draw() {
    for (std::size_t row = 0; row < count_; ++row) {
      for (std::size_t column = 0; column < row; ++column) pair_panel(row, column);
      diagonal_panel(row);
    }
    legend();
    return canvas_.finish();
  }

 private:
  // A page of its own measures the labels of ticks.
  static std::vector<CornerScale> make_scales(const CornerPlot& plot, double panel) {
    Canvas ruler(FigureFormat::svg, 10, 10);
    std::vector<CornerScale> scales;
    for (const Bounds& range : corner_ranges(plot)) {
      scales.push_back(corner_scale(ruler, range, panel, kTickSize));
    }
    return scales;
  }
  double widest_label() const { return std::ranges::max(scales_, {}, &CornerScale::widest).widest; }
  bool any_slanted() const { return std::ranges::any_of(scales_, &CornerScale::slanted); }

  static double default_panel(std::size_t count) {
    return std::clamp(560.0 / static_cast<double>(count), 44.0, 136.0);
  }
  static double default_resolution(std::size_t count) { return count > 8 ? 2 : 3; }

  double side() const {
    return static_cast<double>(count_) * panel_ + static_cast<double>(count_ - 1) * gap_;
  }
  double left_of(std::size_t column) const {
    return left_ + static_cast<double>(column) * (panel_ + gap_);
  }
  double top_of(std::size_t row) const { return top_ + static_cast<double>(row) * (panel_ + gap_); }
  double x_of(std::size_t column, double value) const {
    return left_of(column) + panel_ * scales_[column].fraction(value);
  }
  double y_of(std::size_t row, double value) const {
    return top_of(row) + panel_ * (1 - scales_[row].fraction(value));
  }
  Canvas::Clip panel_clip(std::size_t row, std::size_t column) {
    return {
        canvas_, {left_of(column), top_of(row)}, {left_of(column) + panel_, top_of(row) + panel_}};
  }
  Color band_color(std::size_t layer, std::size_t level) const {
    return hone::band_color(layer, level, plot_.layers.size());
  }

  void pair_panel(std::size_t row, std::size_t column) {
    {
      const Canvas::Clip inside = panel_clip(row, column);
      for (std::size_t layer = 0; layer < plot_.layers.size(); ++layer) {
        const Marginal marginal{static_cast<int>(column), static_cast<int>(row)};
        if (const MarginalGrid* grid = plot_.layers[layer].find(marginal)) {
          draw_contours(*grid, row, column, layer);
        }
      }
      vertical_marks(row, column);
      horizontal_marks(row, column);
      const auto &x = plot_.parameters[column].truth, &y = plot_.parameters[row].truth;
      if (x && y) canvas_.marker(Marker::square, {x_of(column, *x), y_of(row, *y)}, 3.6, kInk);
    }
    frame(row, column);
    if (column == 0) y_ticks(row);
    if (row + 1 == count_) x_ticks(column);
  }

  void draw_contours(const MarginalGrid& grid, std::size_t row, std::size_t column,
                     std::size_t layer) {
    constexpr double kTolerance = 0.04;  // points: a tenth of a pixel of a printed page
    for (std::size_t level = std::size(kCornerLevels); level-- > 0;) {
      const double threshold = density_at_level(grid, kCornerLevels[level]);
      if (!(threshold > 0)) continue;
      std::vector<Loop> loops = contour_loops(grid, threshold);
      for (Loop& loop : loops) {
        for (Point& point : loop) point = {x_of(column, point.x), y_of(row, point.y)};
        loop = simplify(loop, kTolerance);
        loop.push_back(loop.front());
      }
      canvas_.fill_loops(loops, band_color(layer, level));
      for (const Loop& loop : loops) {
        canvas_.line(loop, {layer_color(layer), level == 0 ? 0.9 : 0.5});
      }
    }
  }

  void diagonal_panel(std::size_t d) {
    double peak = 0;
    for (const CornerLayer& layer : plot_.layers) {
      const MarginalGrid* grid = layer.find({static_cast<int>(d)});
      if (grid != nullptr) peak = std::max(peak, *std::ranges::max_element(grid->density));
    }
    {
      const Canvas::Clip inside = panel_clip(d, d);
      for (std::size_t layer = 0; layer < plot_.layers.size() && peak > 0; ++layer) {
        const MarginalGrid* grid = plot_.layers[layer].find({static_cast<int>(d)});
        if (grid != nullptr) draw_density(*grid, d, layer, 1.12 * peak);
      }
      vertical_marks(d, d);
    }
    frame(d, d);
    if (titles_) title(d);
    if (d + 1 == count_) x_ticks(d);
  }

  // The curve, and under it the parts of highest density.
  void draw_density(const MarginalGrid& grid, std::size_t d, std::size_t layer, double top) {
    const double bottom = top_of(d) + panel_;
    for (const Loop& piece : density_outline(grid)) {
      Loop outline;
      for (const Point& point : piece) {
        outline.push_back({x_of(d, point.x), bottom - panel_ * point.y / top});
      }
      for (std::size_t level = std::size(kCornerLevels); level-- > 0;) {
        for (const ThetaInterval& part : highest_density_intervals(grid, kCornerLevels[level])) {
          const double from = std::isfinite(part.low) ? x_of(d, part.low) : outline.front().x;
          const double to = std::isfinite(part.high) ? x_of(d, part.high) : outline.back().x;
          const Canvas::Clip inside(canvas_, {from, top_of(d)}, {to, bottom});
          canvas_.fill(outline, band_color(layer, level));
        }
      }
      canvas_.line(outline, {layer_color(layer), 1.1});
    }
  }

  void vertical_marks(std::size_t row, std::size_t column) {
    const CornerParameter& p = plot_.parameters[column];
    const auto mark = [&](double value, const Stroke& stroke) {
      if (!std::isfinite(value)) return;
      const double x = x_of(column, value);
      canvas_.line(std::vector<Point>{{x, top_of(row)}, {x, top_of(row) + panel_}}, stroke);
    };
    mark(p.low, kPriorBound);
    mark(p.high, kPriorBound);
    if (p.truth) mark(*p.truth, kTruthLine);
  }

  void horizontal_marks(std::size_t row, std::size_t column) {
    const CornerParameter& p = plot_.parameters[row];
    const auto mark = [&](double value, const Stroke& stroke) {
      if (!std::isfinite(value)) return;
      const double y = y_of(row, value);
      canvas_.line(std::vector<Point>{{left_of(column), y}, {left_of(column) + panel_, y}}, stroke);
    };
    mark(p.low, kPriorBound);
    mark(p.high, kPriorBound);
    if (p.truth) mark(*p.truth, kTruthLine);
  }

  void frame(std::size_t row, std::size_t column) {
    const double x = left_of(column), y = top_of(row);
    canvas_.line(std::vector<Point>{{x, y},
                                    {x + panel_, y},
                                    {x + panel_, y + panel_},
                                    {x, y + panel_},
                                    {x, y - kPanelFrame.width / 2}},
                 kPanelFrame);
    // Ticks without numbers on every panel: the eye finds its way without the labels.
    constexpr double kTick = 2.2;
    for (const double tick : scales_[column].ticks) {
      const double at = x_of(column, tick);
      canvas_.line(std::vector<Point>{{at, y + panel_}, {at, y + panel_ - kTick}}, kPanelFrame);
    }
    if (row == column) return;
    for (const double tick : scales_[row].ticks) {
      const double at = y_of(row, tick);
      canvas_.line(std::vector<Point>{{x, at}, {x + kTick, at}}, kPanelFrame);
    }
  }

  void x_ticks(std::size_t column) {
    const double bottom = top_of(count_ - 1) + panel_;
    const CornerScale& scale = scales_[column];
    for (const double tick : scale.ticks) {
      TextStyle style{.size = kTickSize, .color = kInk, .horizontal = 0.5, .vertical = 1};
      if (scale.slanted) style.horizontal = 1, style.vertical = 0.5, style.turn = 45;
      canvas_.text(tick_label(scale.axis, tick, scale.step), {x_of(column, tick), bottom + 4},
                   style);
    }
    draw_label(canvas_, axis_label(column), {left_of(column) + panel_ / 2, bottom + foot_ - 8},
               {.size = kLabelSize, .color = kInk, .horizontal = 0.5});
  }

  void y_ticks(std::size_t row) {
    const CornerScale& scale = scales_[row];
    for (const double tick : scale.ticks) {
      canvas_.text(tick_label(scale.axis, tick, scale.step), {left_ - 4, y_of(row, tick)},
                   {.size = kTickSize, .color = kInk, .horizontal = 1, .vertical = 0.5});
    }
    draw_label(canvas_, axis_label(row), {12.0, top_of(row) + panel_ / 2},
               {.size = kLabelSize, .color = kInk, .horizontal = 0.5, .turn = 90});
  }

  Label axis_label(std::size_t d) const {
    Label label = labels_[d];
    if (const int exponent = axis_exponent(scales_[d].axis)) {
      label.push_back({" / 10" + superscript(exponent)});
    }
    return label;
  }

  void title(std::size_t d) {
    const MarginalGrid* grid = plot_.layers[0].find({static_cast<int>(d)});
    if (grid == nullptr) return;
    Label text = value_with_errors(*grid);
    if (text.empty()) return;
    text.insert(text.begin(), {" = "});
    text.insert(text.begin(), labels_[d].begin(), labels_[d].end());
    draw_label(canvas_, text, {left_of(d) + panel_ / 2, top_of(d) - 7},
               {.size = kTitleSize, .color = kInk, .horizontal = 0.5});
  }

  // In the empty corner at the upper right.
  void legend() {
    if (count_ < 2) return;
    bool bounds = false;
    for (std::size_t d = 0; d < count_; ++d) {
      const CornerParameter& p = plot_.parameters[d];
      bounds = bounds || scales_[d].shows(p.low) || scales_[d].shows(p.high);
    }
    draw_corner_legend(canvas_, {left_of(count_ - 1) + panel_, top_of(0) + 6}, plot_, bounds);
  }

  const CornerPlot& plot_;
  std::size_t count_;
  double panel_, gap_;
  bool titles_;
  double top_;
  std::vector<CornerScale> scales_;
  double left_, foot_;
  Canvas canvas_;
  std::vector<Label> labels_;
};

}  // namespace

std::string corner_figure(const CornerPlot& plot, FigureFormat format,
                          const CornerOptions& options) {
  plot.validate();
  return Drawing(plot, format, options).draw();
}

}  // namespace hone
