#include <optional>

#include <pybind11/stl.h>

#include "hone/core/error.h"
#include "hone/report/corner_plot.h"
#include "python/core/bindings.h"

namespace hone::python {
namespace {

namespace py = pybind11;

// name, label, bounds of the prior, true value
using Parameters =
    std::vector<std::tuple<std::string, std::string, double, double, std::optional<double>>>;
// label, and grids with the positions of their parameters in the plot
using Layers =
    std::vector<std::pair<std::string, std::vector<std::pair<Marginal, const MarginalGrid*>>>>;

FigureFormat format_from(const std::string& name) {
  if (name == "svg") return FigureFormat::svg;
  return name == "pdf" ? FigureFormat::pdf : FigureFormat::png;
}

py::bytes corner(const Parameters& parameters, const Layers& layers, const std::string& format,
                 bool titles) {
  CornerPlot plot;
  for (const auto& [name, label, low, high, truth] : parameters) {
    plot.parameters.push_back({name, label, low, high, truth});
  }
  for (const auto& [label, grids] : layers) {
    plot.layers.push_back({label, {}});
    for (const auto& [positions, grid] : grids) {
      plot.layers.back().grids.push_back(*grid);
      plot.layers.back().grids.back().marginal = positions;
    }
  }
  std::string bytes;
  {
    const py::gil_scoped_release release;
    bytes = corner_figure(plot, format_from(format), {.titles = titles});
  }
  return bytes;
}

}  // namespace

void bind_figure(py::module_& m) {
  m.def("corner", &corner);
}

}  // namespace hone::python
