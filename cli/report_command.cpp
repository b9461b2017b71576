#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/open_run.h"
#include "cli/text.h"
#include "hone/core/error.h"
#include "hone/report/report.h"
#include "hone/report/reproduce.h"

namespace hone::cli {
namespace {

struct ReportArguments {
  std::string directory, truth;
  std::vector<std::string> figures = {"pdf", "png"};
};

void make_report(const ReportArguments& arguments) {
  const RunDirectory run = open_run(arguments.directory);
  ReportOptions options;
  options.truth = arguments.truth.empty() ? known_truth(run.spec()) : read_truth(arguments.truth);
  std::vector<FigureFormat> formats;
  for (const std::string& name : arguments.figures) {
    if (name != "none") formats.push_back(figure_format("figure." + name));
  }
  for (const std::filesystem::path& file : write_report(run, options, formats)) {
    print(fmt::format("{}\n", file.string()));
  }
}

}  // namespace

void add_report_command(CLI::App& program) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command = program.add_subcommand(
      "report", "Write report.html and figures of a finished run into its directory");
  command->add_option("directory", arguments->directory, "Directory of the run")->required();
  command
      ->add_option("--figures", arguments->figures, "Formats of the figures: pdf, png, svg; none")
      ->check(CLI::IsMember({"pdf", "png", "svg", "none"}))
      ->delimiter(',')
      ->capture_default_str();
  command
      ->add_option("--truth", arguments->truth,
                   "CSV file with true values: a header of names and a row of numbers")
      ->check(CLI::ExistingFile);
  command->callback([arguments] { make_report(*arguments); });
}

}  // namespace hone::cli
