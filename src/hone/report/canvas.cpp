#include "hone/report/canvas.h"

#include <cmath>
#include <numbers>

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#include "hone/core/error.h"

namespace hone {

struct Canvas::Cairo {
  FigureFormat format = FigureFormat::png;
  std::string bytes;
  cairo_surface_t* surface = nullptr;
  cairo_t* context = nullptr;

  ~Cairo() {
    cairo_destroy(context);
    cairo_surface_destroy(surface);
  }
};

namespace {

cairo_status_t append(void* closure, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  fail(ErrorKind::io, "cannot draw the figure: {}", cairo_status_to_string(status));
}

void set_color(cairo_t* context, const Color& color) {
  cairo_set_source_rgba(context, color.red, color.green, color.blue, color.opacity);
}

void set_font(cairo_t* context, const TextStyle& style) {
  cairo_select_font_face(context, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context, style.size);
}

void trace(cairo_t* context, std::span<const Point> points) {
  cairo_new_path(context);
  for (const Point& point : points) cairo_line_to(context, point.x, point.y);
}

cairo_surface_t* make_pdf(std::string& bytes, double width, double height) {
  cairo_surface_t* surface = cairo_pdf_surface_create_for_stream(append, &bytes, width, height);
  // No date of creation: the same figure is the same bytes.
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
  return surface;
}

cairo_surface_t* make_svg(std::string& bytes, double width, double height) {
  cairo_surface_t* surface = cairo_svg_surface_create_for_stream(append, &bytes, width, height);
  cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PT);
  return surface;
}

cairo_surface_t* make_png(double width, double height, double resolution) {
  const auto pixels = [&](double points) {
    return static_cast<int>(std::ceil(points * resolution));
  };
  cairo_surface_t* surface =
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels(width), pixels(height));
  cairo_surface_set_device_scale(surface, resolution, resolution);
  return surface;
}

}  // namespace

FigureFormat figure_format(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  if (ending == ".png") return FigureFormat::png;
  if (ending == ".svg") return FigureFormat::svg;
  if (ending == ".pdf") return FigureFormat::pdf;
  fail(ErrorKind::input, "{}: a figure must end in .png, .svg or .pdf", file.string());
}

Canvas::Canvas(FigureFormat format, double width, double height, double resolution)
    : width_(width), height_(height), cairo_(std::make_unique<Cairo>()) {
  cairo_->format = format;
  switch (format) {
    case FigureFormat::png: cairo_->surface = make_png(width, height, resolution); break;
    case FigureFormat::svg: cairo_->surface = make_svg(cairo_->bytes, width, height); break;
    case FigureFormat::pdf: cairo_->surface = make_pdf(cairo_->bytes, width, height); break;
  }
  cairo_->context = cairo_create(cairo_->surface);
  check(cairo_status(cairo_->context));
  cairo_set_line_join(cairo_->context, CAIRO_LINE_JOIN_ROUND);
  set_color(cairo_->context, {1, 1, 1});
  cairo_paint(cairo_->context);
}

Canvas::~Canvas() = default;

void Canvas::line(std::span<const Point> points, const Stroke& stroke) {
  cairo_t* context = cairo_->context;
  trace(context, points);
  set_color(context, stroke.color);
  cairo_set_line_width(context, stroke.width);
  cairo_set_dash(context, stroke.dashes.data(), static_cast<int>(stroke.dashes.size()), 0);
  cairo_stroke(context);
}

void Canvas::fill(std::span<const Point> polygon, const Color& color) {
  trace(cairo_->context, polygon);
  cairo_close_path(cairo_->context);
  set_color(cairo_->context, color);
  cairo_fill(cairo_->context);
}

void Canvas::fill_loops(std::span<const std::vector<Point>> loops, const Color& color) {
  cairo_t* context = cairo_->context;
  cairo_new_path(context);
  for (const std::vector<Point>& loop : loops) {
    cairo_new_sub_path(context);
    for (const Point& point : loop) cairo_line_to(context, point.x, point.y);
    cairo_close_path(context);
  }
  set_color(context, color);
  cairo_set_fill_rule(context, CAIRO_FILL_RULE_EVEN_ODD);
  cairo_fill(context);
  cairo_set_fill_rule(context, CAIRO_FILL_RULE_WINDING);
}

void Canvas::marker(Marker kind, Point at, double size, const Color& color) {
  const double r = size / 2;
  if (kind == Marker::circle) {
    cairo_new_path(cairo_->context);
    cairo_arc(cairo_->context, at.x, at.y, r, 0, 2 * std::numbers::pi);
    set_color(cairo_->context, color);
    cairo_fill(cairo_->context);
    return;
  }
  // Corners at equal angles, made a little larger so that all kinds look alike in size.
  const int corners = kind == Marker::triangle ? 3 : 4;
  const double start = kind == Marker::square ? std::numbers::pi / 4 : -std::numbers::pi / 2;
  std::vector<Point> polygon;
  for (int i = 0; i < corners; ++i) {
    const double angle = start + 2 * std::numbers::pi * i / corners;
    polygon.push_back({at.x + 1.25 * r * std::cos(angle), at.y + 1.25 * r * std::sin(angle)});
  }
  fill(polygon, color);
}

double Canvas::text_width(const std::string& words, const TextStyle& style) {
  set_font(cairo_->context, style);
  cairo_text_extents_t extents;
  cairo_text_extents(cairo_->context, words.c_str(), &extents);
  return extents.x_advance;
}

void Canvas::text(const std::string& words, Point at, const TextStyle& style) {
  constexpr double kCapitals = 0.73;  // height of a capital letter / font size
  cairo_t* context = cairo_->context;
  const double width = text_width(words, style);
  set_color(context, style.color);
  cairo_save(context);
  cairo_translate(context, at.x, at.y);
  cairo_rotate(context, -style.turn * std::numbers::pi / 180);
  cairo_move_to(context, -style.horizontal * width, style.vertical * kCapitals * style.size);
  cairo_show_text(context, words.c_str());
  cairo_restore(context);
}

Canvas::Clip::Clip(Canvas& canvas, Point corner, Point opposite) : canvas_(canvas) {
  cairo_t* context = canvas_.cairo_->context;
  cairo_save(context);
  cairo_rectangle(context, corner.x, corner.y, opposite.x - corner.x, opposite.y - corner.y);
  cairo_clip(context);
}

Canvas::Clip::~Clip() {
  cairo_restore(canvas_.cairo_->context);
}

namespace {

// Cairo numbers the surfaces of a process and writes the number into an SVG, where nothing refers
// to it. Without it the same figure is the same bytes.
void remove_surface_number(std::string& svg) {
  const std::string id = "<g id=\"surface";
  const std::size_t at = svg.find(id);
  if (at == std::string::npos) return;
  const std::size_t digits = at + id.size();
  svg.erase(digits, svg.find('"', digits) - digits);
}

}  // namespace

std::string Canvas::finish() {
  check(cairo_status(cairo_->context));
  if (cairo_->format == FigureFormat::png) {
    cairo_surface_flush(cairo_->surface);
    check(cairo_surface_write_to_png_stream(cairo_->surface, append, &cairo_->bytes));
  } else {
    cairo_surface_finish(cairo_->surface);
    check(cairo_surface_status(cairo_->surface));
    if (cairo_->format == FigureFormat::svg) remove_surface_number(cairo_->bytes);
  }
  return std::move(cairo_->bytes);
}

}  // namespace hone
