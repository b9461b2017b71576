#include "hone/report/panel_grid.h"

#include <algorithm>

#include "hone/core/error.h"

namespace hone {
namespace {

// Room for numbers and names on the left of and below each panel, for a title above.
constexpr double kLeft = 48, kTop = 20, kFoot = 34, kRight = 10;

std::size_t columns_for(std::size_t panels) {
  return panels <= 4 ? std::min<std::size_t>(panels, panels == 4 ? 2 : 3) : 4;
}

std::size_t rows_for(std::size_t panels, std::size_t columns) {
  return (panels + columns - 1) / columns;
}

}  // namespace

PanelGrid::PanelGrid(FigureFormat format, std::size_t panels, double width, double height)
    : columns_(columns_for(panels)),
      width_(width),
      height_(height),
      canvas_(format, static_cast<double>(columns_) * (kLeft + width + kRight),
              static_cast<double>(rows_for(panels, columns_)) * (kTop + height + kFoot)) {}

Axes PanelGrid::next(Axis x, Axis y) {
  const std::size_t full_rows = used_ / columns_;
  const auto row = static_cast<double>(full_rows);
  const auto column = static_cast<double>(used_ % columns_);
  ++used_;
  return {canvas_,
          {column * (kLeft + width_ + kRight) + kLeft, row * (kTop + height_ + kFoot) + kTop},
          width_,
          height_,
          std::move(x),
          std::move(y)};
}

}  // namespace hone
