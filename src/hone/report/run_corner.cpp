#include "hone/report/run_corner.h"

#include <algorithm>
#include <optional>

#include "hone/core/error.h"
#include "hone/files/csv_reader.h"
#include "hone/files/sample_file.h"

namespace hone {
namespace {

// The index of each quantity of a run among those of the plot; -1 if it is not there.
std::vector<int> places(const Prior& prior, const std::vector<CornerParameter>& parameters) {
  std::vector<int> result;
  for (const std::string& name : prior.quantity_names()) {
    const auto found = std::ranges::find(parameters, name, &CornerParameter::name);
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

CornerLayer make_layer(const RunDirectory& run, const std::vector<CornerParameter>& parameters) {
  CornerLayer layer{run.label(), {}};
  const std::vector<int> place = places(run.spec().prior, parameters);
  for (MarginalGrid& grid : run.grids()) {
    for (int& d : grid.marginal) d = place[static_cast<std::size_t>(d)];
    if (std::ranges::find(grid.marginal, -1) != grid.marginal.end()) continue;
    const bool reversed = grid.marginal.size() == 2 && grid.marginal[0] > grid.marginal[1];
    layer.grids.push_back(reversed ? transposed(grid) : std::move(grid));
  }
  return layer;
}

}  // namespace

namespace {

// "parameter,value" and a row for each of them; nothing if the file is of another kind.
std::optional<TruthValues> read_truth_by_rows(const std::filesystem::path& file) {
  if (!file.string().ends_with(".csv")) return std::nullopt;
  CsvReader reader(file);
  std::vector<std::string> cells;
  if (!reader.next(cells) || cells.size() != 2 || cells[0] != "parameter") return std::nullopt;
  TruthValues truth;
  while (reader.next(cells)) {
    reader.check_width(cells, 2);
    std::vector<double> value;
    reader.take_numbers(value, cells, {1});
    truth[cells[0]] = value.at(0);
  }
  return truth;
}

}  // namespace

TruthValues read_truth(const std::filesystem::path& file) {
  if (auto rows = read_truth_by_rows(file)) return *rows;
  const SampleTable table = read_samples(file);
  if (table.names.empty()) {
    fail(ErrorKind::input,
         "{}: a file of true values must have a header of parameter names and one row of "
         "numbers, or the header parameter,value and a row for each",
         file.string());
  }
  TruthValues truth;
  for (std::size_t j = 0; j < table.names.size(); ++j) {
    truth[table.names[j]] = table.values(0, static_cast<Index>(j));
  }
  return truth;
}

CornerPlot run_corner(const std::vector<RunDirectory>& runs, const TruthValues& truth) {
  HONE_ASSERT(!runs.empty());
  CornerPlot plot;
  const Prior& prior = runs.front().spec().prior;
  const auto names = prior.quantity_names(), labels = prior.quantity_labels();
  for (std::size_t d = 0; d < names.size(); ++d) {
    const auto known = truth.find(names[d]);
    plot.parameters.push_back({.name = names[d], .label = labels[d]});
    if (d < prior.parameters().size()) {  // what is derived has no edges of its own
      plot.parameters.back().low = prior.parameters()[d].distribution->lower();
      plot.parameters.back().high = prior.parameters()[d].distribution->upper();
    }
    if (known != truth.end()) plot.parameters.back().truth = known->second;
  }
  for (const RunDirectory& run : runs) plot.layers.push_back(make_layer(run, plot.parameters));
  // A parameter that no one asked a marginal of has nothing to show.
  std::vector<int> shown;
  for (int d = 0; d < prior.quantities(); ++d) {
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
