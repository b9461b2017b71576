#include "hone/report/axes.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "hone/core/error.h"

namespace hone {
namespace {

constexpr double kTickLength = 3, kTickSize = 7.5, kLabelSize = 8.5, kTitleSize = 9;
const Stroke kFrame{{0.25, 0.25, 0.25}, 0.7};

// Of a logarithmic axis: these multiples of every power of ten.
std::vector<double> multiples(const Axis& axis, std::span<const double> factors) {
  std::vector<double> ticks;
  for (int k = static_cast<int>(std::floor(std::log10(axis.low))); std::pow(10.0, k) <= axis.high;
       ++k) {
    for (const double factor : factors) {
      const double value = factor * std::pow(10.0, k);
      if (value >= axis.low * (1 - 1e-9) && value <= axis.high * (1 + 1e-9)) {
        ticks.push_back(value);
      }
    }
  }
  return ticks;
}

// 1, 2 or 5 times a power of ten.
double round_step(double range, int wanted) {
  const double rough = range / wanted, power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

Label label_of(const Axis& axis) {
  if (!axis.styled_label.empty() || axis.label.empty()) return axis.styled_label;
  return {{axis.label}};
}

}  // namespace

std::string superscript(int number) {
  static const char* const kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : std::to_string(number)) text += c == '-' ? "⁻" : kDigits[c - '0'];
  return text;
}

int axis_exponent(const Axis& axis) {
  if (axis.logarithmic) return 0;
  const double largest = std::max(std::abs(axis.low), std::abs(axis.high));
  const int exponent = static_cast<int>(std::floor(std::log10(largest) + 1e-9));
  return exponent >= 5 || exponent <= -3 ? exponent : 0;
}

std::vector<double> axis_ticks(const Axis& axis) {
  if (!axis.named_ticks.empty()) {
    std::vector<double> places;
    for (const auto& [place, name] : axis.named_ticks) places.push_back(place);
    return places;
  }
  if (axis.logarithmic) {
    const std::vector<double> powers = multiples(axis, std::vector{1.0});
    return powers.size() >= 2 ? powers : multiples(axis, std::vector{1.0, 2.0, 5.0});
  }
  const double step = round_step(axis.high - axis.low, axis.steps);
  std::vector<double> ticks;
  const double slack = 1e-9 * (axis.high - axis.low);
  for (double k = std::ceil((axis.low - slack) / step); k * step <= axis.high + slack; ++k) {
    ticks.push_back(k * step);
  }
  return ticks;
}

std::string tick_label(const Axis& axis, double value, double step) {
  for (const auto& [place, name] : axis.named_ticks) {
    if (place == value) return name;
  }
  if (axis.logarithmic) {
    const double power = std::log10(value);
    if (std::abs(power - std::round(power)) < 1e-9) {
      return "10" + superscript(static_cast<int>(std::lround(power)));
    }
    return fmt::format("{:g}", value);
  }
  const double unit = std::pow(10.0, axis_exponent(axis));
  const int digits = std::max(0, -static_cast<int>(std::floor(std::log10(step / unit) + 1e-9)));
  std::string text = fmt::format("{:.{}f}", value / unit, digits);
  if (text.starts_with('-')) text.replace(0, 1, "−");
  return text.find_first_not_of("−0.") == std::string::npos ? fmt::format("{:.{}f}", 0.0, digits)
                                                            : text;
}

Axes::Axes(Canvas& canvas, Point corner, double width, double height, Axis x, Axis y)
    : canvas_(canvas),
      corner_(corner),
      width_(width),
      height_(height),
      x_(std::move(x)),
      y_(std::move(y)) {
  for (const Axis& axis : {x_, y_}) {
    HONE_ASSERT(axis.low < axis.high && (!axis.logarithmic || axis.low > 0));
  }
}

Point Axes::at(double x, double y) const {
  const auto fraction = [](const Axis& axis, double value) {
    if (!axis.logarithmic) return (value - axis.low) / (axis.high - axis.low);
    return std::log(value / axis.low) / std::log(axis.high / axis.low);
  };
  return {corner_.x + width_ * fraction(x_, x), corner_.y + height_ * (1 - fraction(y_, y))};
}

void Axes::x_ticks() {
  const std::vector<double> ticks = x_.ticks ? axis_ticks(x_) : std::vector<double>{};
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : x_.high - x_.low;
  for (const double tick : ticks) {
    const Point foot{at(tick, y_.low).x, corner_.y + height_};
    canvas_.line(std::vector<Point>{foot, {foot.x, foot.y + kTickLength}}, kFrame);
    if (!x_.tick_labels) continue;
    canvas_.text(tick_label(x_, tick, step), {foot.x, foot.y + kTickLength + 2.5},
                 {.size = kTickSize, .horizontal = 0.5, .vertical = 1});
  }
  if (const Label label = label_of(x_); !label.empty()) {
    draw_label(canvas_, label, {corner_.x + width_ / 2, corner_.y + height_ + 17},
               {.size = kLabelSize, .horizontal = 0.5, .vertical = 1});
  }
}

void Axes::y_ticks() {
  const std::vector<double> ticks = y_.ticks ? axis_ticks(y_) : std::vector<double>{};
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : y_.high - y_.low;
  double widest = 0;
  for (const double tick : ticks) {
    const Point foot{corner_.x, at(x_.low, tick).y};
    canvas_.line(std::vector<Point>{foot, {foot.x - kTickLength, foot.y}}, kFrame);
    if (!y_.tick_labels) continue;
    const TextStyle style{.size = kTickSize, .horizontal = 1, .vertical = 0.5};
    const std::string label = tick_label(y_, tick, step);
    canvas_.text(label, {foot.x - kTickLength - 2, foot.y}, style);
    widest = std::max(widest, canvas_.text_width(label, style));
  }
  if (const Label label = label_of(y_); !label.empty()) {
    draw_label(canvas_, label, {corner_.x - kTickLength - widest - 6, corner_.y + height_ / 2},
               {.size = kLabelSize, .horizontal = 0.5, .turn = 90});
  }
}

void Axes::frame() {
  const double right = corner_.x + width_, bottom = corner_.y + height_;
  canvas_.line(std::vector<Point>{{corner_.x, corner_.y},
                                  {right, corner_.y},
                                  {right, bottom},
                                  {corner_.x, bottom},
                                  {corner_.x, corner_.y - kFrame.width / 2}},
               kFrame);
  x_ticks();
  y_ticks();
}

void Axes::title(const std::string& text) {
  canvas_.text(text, {corner_.x + width_ / 2, corner_.y - 4},
               {.size = kTitleSize, .horizontal = 0.5});
}

void Axes::title(const Label& label) {
  draw_label(canvas_, label, {corner_.x + width_ / 2, corner_.y - 4},
             {.size = kTitleSize, .horizontal = 0.5});
}

void Axes::grid(const Stroke& stroke) {
  for (const double tick : axis_ticks(y_)) {
    canvas_.line(std::vector<Point>{at(x_.low, tick), at(x_.high, tick)}, stroke);
  }
}

void Axes::line(std::span<const double> x, std::span<const double> y, const Stroke& stroke) {
  HONE_ASSERT(x.size() == y.size());
  const Canvas::Clip inside = clip();
  std::vector<Point> points;
  for (std::size_t i = 0; i < x.size(); ++i) points.push_back(at(x[i], y[i]));
  canvas_.line(points, stroke);
}

void Axes::markers(std::span<const double> x, std::span<const double> y, Marker kind, double size,
                   const Color& color) {
  HONE_ASSERT(x.size() == y.size());
  for (std::size_t i = 0; i < x.size(); ++i) canvas_.marker(kind, at(x[i], y[i]), size, color);
}

void Axes::band(std::span<const double> x, std::span<const double> low,
                std::span<const double> high, const Color& color) {
  HONE_ASSERT(x.size() == low.size() && x.size() == high.size());
  const Canvas::Clip inside = clip();
  std::vector<Point> polygon;
  for (std::size_t i = 0; i < x.size(); ++i) polygon.push_back(at(x[i], high[i]));
  for (std::size_t i = x.size(); i-- > 0;) polygon.push_back(at(x[i], low[i]));
  canvas_.fill(polygon, color);
}

}  // namespace hone
