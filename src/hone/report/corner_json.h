#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hone/report/corner_plot.h"
#include "hone/report/label.h"

namespace hone {

nlohmann::ordered_json to_json(const Label& label);

// The first layer of a plot for the page: curves, contours and credible levels, as fractions of the
// panels (contours in thousandths).
nlohmann::ordered_json corner_json(const CornerPlot& plot);

// n bytes as text.
std::string base64(std::span<const unsigned char> bytes);

// levels (cells x cells), x slowest: the probability inside the smallest region that holds the
// centre of each cell of a square grid over `x` and `y`, in steps of 1/255; 255 outside.
std::vector<unsigned char> credible_levels(const MarginalGrid& grid, const Bounds& x,
                                           const Bounds& y, int cells);

}  // namespace hone
