#include "hone/report/run_corner.h"

#include <algorithm>
#include <array>
#include <span>

#include "hone/core/error.h"
#include "hone/inference/run_files.h"
#include "hone/store/array_file.h"
#include "hone/store/sample_file.h"

namespace hone {
namespace {

std::string layer_label(const Run& run) {
  const std::filesystem::path path = std::filesystem::absolute(run.directory()).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

// The index of each parameter of a run among those of the plot; -1 if it is not there.
std::vector<int> places(const Prior& prior, const std::vector<CornerParameter>& parameters) {
  std::vector<int> result;
  for (const Parameter& parameter : prior.parameters()) {
    const auto found = std::ranges::find(parameters, parameter.name, &CornerParameter::name);
    result.push_back(found == parameters.end() ? -1 : static_cast<int>(found - parameters.begin()));
  }
  return result;
}

// The axes of a 2-d grid the other way round.
MarginalGrid transposed(const MarginalGrid& grid) {
  MarginalGrid result = grid;
  std::swap(result.marginal[0], result.marginal[1]);
  std::swap(result.axes[0], result.axes[1]);
  const std::size_t rows = grid.axes[0].cells(), columns = grid.axes[1].cells();
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      result.mass[j * rows + i] = grid.mass[i * columns + j];
      result.density[j * rows + i] = grid.density[i * columns + j];
    }
  }
  return result;
}

// What posterior.h5 keeps of a grid (docs/run-directory.md): local, width and member_means stay
// empty.
MarginalGrid grid_from_arrays(std::span<const NamedArray> arrays, const std::string& name,
                              const Marginal& marginal) {
  const auto values = [&](const std::string& part, std::span<const Index> shape) {
    const auto found = array_values<double>(arrays, name + part, shape);
    return std::vector<double>(found.begin(), found.end());
  };
  MarginalGrid grid;
  grid.marginal = marginal;
  std::vector<Index> shape;
  for (std::size_t k = 0; k < marginal.size(); ++k) {
    GridAxis axis;
    axis.theta = values(fmt::format(".theta{}", k), std::array<Index, 1>{-1});
    shape.push_back(std::ssize(axis.theta));
    const std::array<Index, 1> cells{shape.back()};
    axis.low = values(fmt::format(".low{}", k), cells);
    axis.high = values(fmt::format(".high{}", k), cells);
    grid.axes.push_back(std::move(axis));
  }
  grid.mass = values(".mass", shape);
  grid.density = values(".density", shape);
  if (grid.mass.empty()) fail(ErrorKind::io, "{}: there are no cells", name);
  return grid;
}

CornerLayer make_layer(const Run& run, const std::vector<CornerParameter>& parameters) {
  CornerLayer layer{layer_label(run), {}};
  const std::vector<int> place = places(run.spec().prior, parameters);
  for (MarginalGrid& grid : posterior_grids(run)) {
    for (int& d : grid.marginal) d = place[static_cast<std::size_t>(d)];
    if (std::ranges::find(grid.marginal, -1) != grid.marginal.end()) continue;
    const bool reversed = grid.marginal.size() == 2 && grid.marginal[0] > grid.marginal[1];
    layer.grids.push_back(reversed ? transposed(grid) : std::move(grid));
  }
  return layer;
}

}  // namespace

std::vector<MarginalGrid> posterior_grids(const Run& run) {
  if (!run.finished()) {
    fail(ErrorKind::input, "{} is not finished: run `hone resume {}` first",
         run.directory().string(), run.directory().string());
  }
  const std::filesystem::path file = run.directory() / "posterior" / "posterior.h5";
  const std::vector<NamedArray> arrays = read_arrays(file);
  return make_sense_of(file, [&] {
    std::vector<MarginalGrid> grids;
    for (const Marginal& marginal : run.spec().marginals) {
      if (marginal.size() > 2) continue;
      const std::string name = marginal_name(marginal, run.spec().prior.names());
      grids.push_back(grid_from_arrays(arrays, name, marginal));
    }
    return grids;
  });
}

TruthValues read_truth(const std::filesystem::path& file) {
  const SampleTable table = read_samples(file);
  if (table.names.empty()) {
    fail(ErrorKind::input, "{}: true values want a header of parameter names and a row of numbers",
         file.string());
  }
  TruthValues truth;
  for (std::size_t j = 0; j < table.names.size(); ++j) {
    truth[table.names[j]] = table.values(0, static_cast<Index>(j));
  }
  return truth;
}

CornerPlot run_corner(const std::vector<Run>& runs, const TruthValues& truth) {
  HONE_ASSERT(!runs.empty());
  CornerPlot plot;
  const Prior& prior = runs.front().spec().prior;
  for (const Parameter& parameter : prior.parameters()) {
    const auto known = truth.find(parameter.name);
    plot.parameters.push_back({.name = parameter.name,
                               .label = parameter.label,
                               .low = parameter.distribution->lower(),
                               .high = parameter.distribution->upper()});
    if (known != truth.end()) plot.parameters.back().truth = known->second;
  }
  for (const Run& run : runs) plot.layers.push_back(make_layer(run, plot.parameters));
  // A parameter that no one asked a marginal of has nothing to show.
  std::vector<int> shown;
  for (int d = 0; d < prior.dimensions(); ++d) {
    const auto has = [d](const MarginalGrid& grid) {
      return std::ranges::find(grid.marginal, d) != grid.marginal.end();
    };
    const auto any = [&](const CornerLayer& layer) {
      return std::ranges::any_of(layer.grids, has);
    };
    if (std::ranges::any_of(plot.layers, any)) shown.push_back(d);
  }
  return choose_parameters(plot, shown);
}

}  // namespace hone
