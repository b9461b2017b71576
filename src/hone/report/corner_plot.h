#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "hone/posterior/marginal_grid.h"
#include "hone/report/canvas.h"

namespace hone {

// A corner plot: the posterior of every parameter on the diagonal, of every pair below it. Plain
// data in, a figure out:
//
//   CornerPlot plot;
//   plot.parameters = {{.name = "mass", .label = "M_\\odot", .low = 0, .high = 10}, ...};
//   plot.layers = {{"run 1", grids}};                       // MarginalGrid of 1-d and 2-d
//   marginals const std::string bytes = corner_figure(plot, FigureFormat::pdf);

struct CornerParameter {
  std::string name;
  std::string label = {};                                 // see label.h; empty: the name
  double low = -std::numeric_limits<double>::infinity();  // bounds of the prior
  double high = std::numeric_limits<double>::infinity();
  std::optional<double> truth = {};  // marked if known
};

// The posterior of one run. Grids hold the indices of CornerPlot::parameters in `marginal`,
// ascending; those that are missing leave their panel empty. Of a grid, theta, low and high of its
// axes, mass and density are used.
struct CornerLayer {
  std::string label;  // in the legend, if there are several
  std::vector<MarginalGrid> grids;

  const MarginalGrid* find(const Marginal& marginal) const;  // nullptr: not there
};

struct CornerPlot {
  std::vector<CornerParameter> parameters;
  std::vector<CornerLayer> layers;  // the first is drawn first

  // Error{input} unless there is a parameter and a layer, grids have consistent sizes and indices,
  // and every parameter has a grid that shows it.
  void validate() const;
};

// Probability inside the contours, from the inside out: 1, 2 and 3 sigma of one dimension.
inline constexpr double kCornerLevels[] = {0.6827, 0.9545, 0.9973};

// What is shown of each parameter: where the 1-d density of any layer is above 1e-3 of its peak,
// and all contours, with a little room; the same for all panels.
std::vector<Bounds> corner_ranges(const CornerPlot& plot);

// The plot with these parameters only, which must ascend. Error{input} for one that is not there.
CornerPlot choose_parameters(const CornerPlot& plot, const std::vector<int>& chosen);

struct CornerOptions {
  double panel = 0;       // side of a panel in points; 0: by the number of parameters
  double resolution = 0;  // pixels per point of a PNG; 0: by the number of parameters
  bool titles = true;     // median and 68 % interval above the diagonal, where there is room
};
std::string corner_figure(const CornerPlot& plot, FigureFormat format,
                          const CornerOptions& options = {});

}  // namespace hone
