#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hone/report/canvas.h"
#include "hone/report/label.h"

namespace hone {

struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false;
  std::string label = {};  // none if empty
  int steps = 5;           // between ticks, about
  bool ticks = true;
  bool tick_labels = true;
  Label styled_label = {};                                       // in the place of `label`
  std::vector<std::pair<double, std::string>> named_ticks = {};  // in the place of round numbers
};

// Round numbers inside the axis, with steps of 1, 2 or 5 times a power of ten; on a logarithmic
// axis the powers of ten, or 1, 2 and 5 times them where those are fewer than two.
std::vector<double> axis_ticks(const Axis& axis);

// The power of ten that labels of a linear axis leave out, for numbers that would be long: 0, or
// the exponent k of "value / 10^k".
int axis_exponent(const Axis& axis);
std::string superscript(int number);  // "⁻³"

// "0.5", "10⁴"; the digits that tell neighbouring ticks apart, without the axis' power of ten.
std::string tick_label(const Axis& axis, double value, double step);

// A panel with its own coordinates on a canvas. `corner` is the upper left one of the frame, to
// which labels of ticks and axes are added on the left and below.
class Axes {
 public:
  Axes(Canvas& canvas, Point corner, double width, double height, Axis x, Axis y);

  Point at(double x, double y) const;  // on the canvas

  void frame();  // frame, ticks, labels: after the data, which end at it
  void title(const std::string& text);
  void title(const Label& label);
  void grid(const Stroke& stroke);  // a line at every tick of the y axis

  void line(std::span<const double> x, std::span<const double> y, const Stroke& stroke);
  void markers(std::span<const double> x, std::span<const double> y, Marker kind, double size,
               const Color& color);
  // Between low and high, all as long as x.
  void band(std::span<const double> x, std::span<const double> low, std::span<const double> high,
            const Color& color);

 private:
  Canvas::Clip clip() { return {canvas_, corner_, {corner_.x + width_, corner_.y + height_}}; }
  void x_ticks();
  void y_ticks();

  Canvas& canvas_;
  Point corner_;
  double width_, height_;
  Axis x_, y_;
};

}  // namespace hone
