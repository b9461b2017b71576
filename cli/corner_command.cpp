#include <memory>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/open_run.h"
#include "cli/text.h"
#include "cli/wrong_use.h"
#include "hone/core/error.h"
#include "hone/files/output_file.h"
#include "hone/report/run_corner.h"

namespace hone::cli {
namespace {

struct CornerArguments {
  std::vector<std::string> directories, labels;
  std::string output = "corner.pdf", truth, parameters;
  double panel = 0;
};

void draw(const CornerArguments& arguments) {
  const FigureFormat format = figure_format(arguments.output);
  check_output_directory(arguments.output);
  std::vector<RunDirectory> runs;
  for (const std::string& directory : arguments.directories) runs.push_back(open_run(directory));
  if (!arguments.labels.empty() && arguments.labels.size() != runs.size()) {
    fail(ErrorKind::input, "--label: {} were given for {} runs; give one for each",
         arguments.labels.size(), runs.size());
  }
  CornerPlot plot =
      run_corner(runs, arguments.truth.empty() ? TruthValues{} : read_truth(arguments.truth));
  for (std::size_t i = 0; i < arguments.labels.size(); ++i) {
    plot.layers[i].label = arguments.labels[i];
  }
  if (!arguments.parameters.empty()) {
    std::vector<std::string> names;
    for (const CornerParameter& parameter : plot.parameters) names.push_back(parameter.name);
    plot = choose_parameters(plot, parse_marginal(arguments.parameters, names));
  }
  write_output_file(arguments.output, corner_figure(plot, format, {.panel = arguments.panel}));
  print(fmt::format("{}\n", arguments.output));
}

}  // namespace

void add_corner_command(CLI::App& program) {
  auto arguments = std::make_shared<CornerArguments>();
  CLI::App* command = program.add_subcommand(
      "corner",
      "Draw a corner plot of the posteriors of a run, or of several runs on top of each other");
  command->add_option("directories", arguments->directories, "Directories of finished runs")
      ->required();
  command
      ->add_option("-o,--output", arguments->output,
                   "File of the figure; its name ends in .png, .svg or .pdf")
      ->capture_default_str();
  command->add_option("--parameters", arguments->parameters,
                      "Draw only these parameters, as names or 0-based indices: a,b,c [all]");
  command
      ->add_option("--truth", arguments->truth,
                   "CSV file with true values: a header of names and a row of numbers, or the "
                   "header parameter,value and a row for each parameter")
      ->check(CLI::ExistingFile);
  command->add_option("--label", arguments->labels,
                      "Name of a run in the legend, one for each run [its directory]");
  command
      ->add_option("--panel", arguments->panel,
                   "Side of a panel in points [depends on the number of panels]")
      ->check(CLI::Range(20.0, 1000.0));
  command->callback([arguments] { draw(*arguments); });
}

}  // namespace hone::cli
