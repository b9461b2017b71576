#include <memory>

#include <fmt/format.h>

#include "cli/bench_runs.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "hone/bench/cosmology_study.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/files/files.h"
#include "hone/files/output_file.h"
#include "hone/inference/option_table.h"
#include "hone/report/corner_plot.h"
#include "hone/report/sample_grid.h"

// `hone bench cmb`: the paper's cosmology by several methods with the same number of calls.

namespace hone::cli {
namespace {

struct CosmologyArguments : BenchArguments {
  std::vector<std::string> methods = {"mnre", "tmnre", "nre", "mcmc"};
  Index budget = 5000;
};

std::vector<CosmologyCase> cases_of(const CosmologyArguments& arguments) {
  std::vector<CosmologyCase> cases;
  InferenceOptions options = chosen_options(arguments);
  options.budget = arguments.budget;
  validate(options);
  for (const std::string& method : arguments.methods) {
    for (const std::int64_t seed : number_list("--seeds", arguments.seeds)) {
      cases.push_back(
          {cosmology_method(method), static_cast<std::uint64_t>(seed), options, arguments.samples});
    }
  }
  return cases;
}

CornerLayer layer_of(const std::string& label, const CosmologySamples& samples,
                     const Prior& prior) {
  CornerLayer layer{label, {}};
  for (std::size_t k = 0; k < samples.marginals.size(); ++k) {
    std::vector<ThetaInterval> bounds;
    for (const int d : samples.marginals[k]) bounds.push_back({prior[d].lower(), prior[d].upper()});
    layer.grids.push_back(grid_of_samples(samples.samples[k], samples.marginals[k], bounds));
  }
  return layer;
}

// A method over the exact posterior, as in the paper.
void draw(const std::filesystem::path& stem, const std::string& label,
          const CosmologySamples& samples, const CosmologySamples& exact) {
  const Task& task = find_task("cmb");
  CornerPlot plot;
  for (int d = 0; d < task.prior.dimensions(); ++d) {
    const Parameter& parameter = task.prior.parameters()[static_cast<std::size_t>(d)];
    plot.parameters.push_back({.name = parameter.name,
                               .label = parameter.label,
                               .low = task.prior[d].lower(),
                               .high = task.prior[d].upper(),
                               .truth = task.truth[static_cast<std::size_t>(d)]});
  }
  plot.layers = {layer_of("exact", exact, task.prior), layer_of(label, samples, task.prior)};
  for (const auto& [ending, format] : {std::pair{".png", FigureFormat::png},
                                       {".svg", FigureFormat::svg},
                                       {".pdf", FigureFormat::pdf}}) {
    write_output_file(stem.string() + ending, corner_figure(plot, format, {.titles = false}));
  }
}

std::vector<CosmologyRow> run_all(const std::vector<CosmologyCase>& cases,
                                  const std::filesystem::path& output, Progress& progress) {
  std::vector<CosmologyRow> rows;
  progress.context_changed("exact posterior");
  ReferenceSource references;
  const auto reference = references.get("cmb", 1);
  const CosmologySamples exact = reference_marginals(*reference, cases.front().samples);
  for (const CosmologyCase& one : cases) {
    const std::string name = fmt::format("{}-{}", to_string(one.method), one.seed);
    progress.context_changed(name);
    const CosmologySamples samples =
        cosmology_samples(one, *reference, output / "runs" / name, progress);
    rows.push_back(score_cosmology(one, samples, exact, progress));
    draw(output / name, fmt::format("{}, {} calls", to_string(one.method), one.options.budget),
         samples, exact);
    write_output_file(output / "results.csv", cosmology_csv(rows));
  }
  return rows;
}

void run_cosmology(const CosmologyArguments& arguments) {
  const std::vector<CosmologyCase> cases = cases_of(arguments);
  const std::filesystem::path output = arguments.output;
  create_directories_durably(output);
  Progress progress;
  std::vector<CosmologyRow> rows;
  try {
    with_threads(arguments.threads, [&] { rows = run_all(cases, output, progress); });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted) throw;
    fail(ErrorKind::interrupted, "stopped; the same command goes on from here");
  }
  progress.clear();
  publish(arguments, "table.md", cosmology_markdown(rows));
  print(
      fmt::format("\nrows: {0}/results.csv, table: {0}/table.md, runs: {0}/runs\n"
                  "figures: {0}/{1}-{2}.png, .svg, .pdf and so on\n",
                  arguments.output, to_string(rows.front().method), rows.front().seed));
}

}  // namespace

void add_bench_cosmology(CLI::App& bench) {
  auto arguments = std::make_shared<CosmologyArguments>();
  arguments->output = "bench/cmb";
  arguments->preset = "spectra";
  CLI::App* command = bench.add_subcommand(
      "cmb", "Cosmology from microwave background spectra, against the exact posterior");
  command->footer(
      "Methods: mnre and tmnre train every marginal, nre one network for all six parameters, mcmc "
      "is "
      "a Metropolis chain stopped after as many calls of the likelihood, with the exact "
      "posterior's "
      "covariance for its proposals and without burn-in.");
  command->add_option("--methods", arguments->methods, "mnre, tmnre, nre, mcmc")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--budget", arguments->budget, "Calls of simulator or likelihood")
      ->check(CLI::Range(Index{50}, Index{100000000}))
      ->capture_default_str();
  add_bench_arguments(*command, *arguments);
  command->remove_option(command->get_option("--jobs"));
  command->callback([arguments] { run_cosmology(*arguments); });
}

}  // namespace hone::cli
