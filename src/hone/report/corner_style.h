#pragma once

#include "hone/report/corner_plot.h"

// Colours, lines and the legend of a corner plot.

namespace hone {

inline constexpr Color kInk{0.15, 0.15, 0.15};
inline const Stroke kPanelFrame{{0.35, 0.35, 0.35}, 0.6};
inline const Stroke kTruthLine{kInk, 0.8};
inline const Stroke kPriorBound{{0.5, 0.5, 0.5}, 0.7, {2.5, 2}};

Color layer_color(std::size_t layer);

// Of the band between two contours, from the inside out. Several layers let each other through.
Color band_color(std::size_t layer, std::size_t level, std::size_t layers);

// What the bands and lines mean, right-aligned below a point.
void draw_corner_legend(Canvas& canvas, Point upper_right, const CornerPlot& plot,
                        bool prior_bounds);

}  // namespace hone
