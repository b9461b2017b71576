#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hone {

struct Point {
  double x = 0, y = 0;
};

struct Color {
  double red = 0, green = 0, blue = 0;
  double opacity = 1;
  Color with_opacity(double value) const { return {red, green, blue, value}; }
};

// Eight colours that are told apart with any kind of colour vision (Okabe and Ito 2008), and grey.
namespace palette {
inline constexpr Color black{0, 0, 0}, grey{0.6, 0.6, 0.6}, orange{0.902, 0.624, 0},
    sky{0.337, 0.706, 0.914}, green{0, 0.620, 0.451}, yellow{0.941, 0.894, 0.259},
    blue{0, 0.447, 0.698}, vermilion{0.835, 0.369, 0}, purple{0.800, 0.475, 0.655};
}  // namespace palette

struct Stroke {
  Color color = {};
  double width = 1;
  std::vector<double> dashes = {};  // lengths on, off, on, ...; empty: solid
};

enum class Marker { circle, square, diamond, triangle };

struct TextStyle {
  double size = 9;
  Color color = {};
  double horizontal = 0;  // which part of the text stands at the point: 0 left, 0.5 middle, 1 right
  double vertical = 0;    // 0 baseline, 0.5 middle of the capitals, 1 their top
  double turn = 0;        // counterclockwise, in degrees
  bool bold = false;
};

enum class FigureFormat { png, svg, pdf };

// By the ending of the file name; Error{input} for another one than .png, .svg and .pdf.
FigureFormat figure_format(const std::filesystem::path& file);

// A page to draw on. Lengths are points of 1/72 inch; x grows to the right, y downwards. The same
// calls make every format. Fonts are part of what they make.
class Canvas {
 public:
  // `resolution`: pixels per point of a PNG.
  Canvas(FigureFormat format, double width, double height, double resolution = 3);
  ~Canvas();
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  double width() const { return width_; }
  double height() const { return height_; }

  void line(std::span<const Point> points, const Stroke& stroke);
  void fill(std::span<const Point> polygon, const Color& color);
  // Several loops at once: a point is inside if an odd number of them goes around it, so that loops
  // in loops are holes.
  void fill_loops(std::span<const std::vector<Point>> loops, const Color& color);
  void marker(Marker kind, Point at, double size, const Color& color);
  void text(const std::string& words, Point at, const TextStyle& style);
  double text_width(const std::string& words, const TextStyle& style);

  // Everything drawn until the end of the object stays inside the rectangle.
  class Clip {
   public:
    Clip(Canvas& canvas, Point corner, Point opposite);
    ~Clip();
    Clip(const Clip&) = delete;
    Clip& operator=(const Clip&) = delete;

   private:
    Canvas& canvas_;
  };

  // The figure as the bytes of a file. The last call.
  std::string finish();

 private:
  struct Cairo;
  double width_, height_;
  std::unique_ptr<Cairo> cairo_;
};

}  // namespace hone
