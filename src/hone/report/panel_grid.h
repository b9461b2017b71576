#pragma once

#include <string>

#include "hone/report/axes.h"

namespace hone {

// Panels of one size in rows on a page, filled from the upper left. Axes draw themselves into
// them.
class PanelGrid {
 public:
  PanelGrid(FigureFormat format, std::size_t panels, double width = 150, double height = 108);

  // The next panel.
  Axes next(Axis x, Axis y);
  std::string finish() { return canvas_.finish(); }

 private:
  std::size_t columns_, used_ = 0;
  double width_, height_;
  Canvas canvas_;
};

}  // namespace hone
