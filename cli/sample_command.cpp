#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/execute.h"
#include "cli/text.h"
#include "cli/wrong_use.h"
#include "hone/core/error.h"
#include "hone/core/npy.h"
#include "hone/core/parallel.h"
#include "hone/inference/sampling.h"
#include "hone/store/files.h"
#include "hone/store/number_file.h"
#include "hone/store/sample_export.h"

namespace hone::cli {
namespace {

struct SampleArguments {
  std::string directory, marginal, output, observation;
  std::string format = "csv";
  Index count = 1000;
  std::uint64_t seed = 1;
  int threads = 0;
  bool uncorrected = false;
};

std::string csv(const PosteriorSamples& samples, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t j = 0; j < names.size(); ++j) text += (j == 0 ? "" : ",") + names[j];
  text += '\n';
  for (Index i = 0; i < samples.theta.rows(); ++i) {
    for (Index j = 0; j < samples.theta.cols(); ++j) {
      fmt::format_to(std::back_inserter(text), "{}{}", j == 0 ? "" : ",", samples.theta(i, j));
    }
    text += '\n';
  }
  return text;
}

// A bound of a GetDist range; N where there is none.
std::string bound(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "N";
}

// GetDist chains: weight, -log posterior, parameters; names with labels; bounds of the region.
void write_getdist(const std::string& root, const MarginalPosterior& posterior,
                   const PosteriorSamples& samples) {
  const Prior& prior = posterior.prior().prior();
  const std::vector<double> log_density = posterior.log_density(samples.theta);
  std::string chain, names, ranges;
  for (Index i = 0; i < samples.theta.rows(); ++i) {
    fmt::format_to(std::back_inserter(chain), "1 {}", -log_density[static_cast<std::size_t>(i)]);
    for (const double value : samples.theta.row(i)) {
      fmt::format_to(std::back_inserter(chain), " {}", value);
    }
    chain += '\n';
  }
  for (const int d : posterior.marginal()) {
    const Parameter& parameter = prior.parameter(d);
    const Bounds hull = theta_hull(prior, posterior.prior().region(), d);
    std::string label = parameter.label.empty() ? parameter.name : parameter.label;
    std::erase(label, '$');  // GetDist adds its own
    names += fmt::format("{}\t{}\n", parameter.name, label);
    ranges += fmt::format("{} {} {}\n", parameter.name, bound(hull.low), bound(hull.high));
  }
  write_file_atomically(root + "_1.txt", chain);
  write_file_atomically(root + ".paramnames", names);
  write_file_atomically(root + ".ranges", ranges);
}

void deliver(const SampleArguments& arguments, std::string_view bytes) {
  if (!arguments.output.empty()) {
    write_file_atomically(arguments.output, bytes);
  } else if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) {
    fail(ErrorKind::io, "standard output: cannot write the samples");
  }
}

std::vector<double> chosen_data(const SampleArguments& arguments, const RunSpec& spec) {
  if (arguments.observation.empty()) return spec.observation;
  std::vector<double> values = read_numbers(arguments.observation);
  if (values.size() != spec.observation.size()) {
    fail(ErrorKind::input, "{}: there are {} numbers, the simulator of {} makes {}",
         arguments.observation, values.size(), spec.name, spec.observation.size());
  }
  return values;
}

MarginalPosterior trained_posterior(const std::vector<RatioEstimator>& estimators,
                                    const Marginal& marginal, std::span<const double> x,
                                    double power, const SampleArguments& arguments) {
  try {
    return find_posterior(estimators, marginal, x, power);
  } catch (const Error& error) {
    if (estimators.empty()) throw;
    fail(ErrorKind::input,
         "{}. It is added without new simulations by\n  hone train {} --marginal {}", error.what(),
         arguments.directory, arguments.marginal);
  }
}

void sample(const SampleArguments& arguments) {
  if (arguments.format == "getdist" && arguments.output.empty()) {
    fail(ErrorKind::input, "--format getdist writes several files: give their root with -o");
  }
  check_output_directory(arguments.output);
  const Run run = Run::open(arguments.directory);
  const Prior& prior = run.spec().prior;
  const Marginal marginal = arguments.marginal == "joint"
                                ? joint(prior.dimensions())
                                : parse_marginal(arguments.marginal, prior.names());
  const std::vector<double> x = chosen_data(arguments, run.spec());
  const std::vector<RatioEstimator> estimators = run.estimators();
  const double power =
      arguments.uncorrected ? 1 : run.correction().value_or(Correction{}).power(marginal);
  const MarginalPosterior posterior = trained_posterior(estimators, marginal, x, power, arguments);
  if (power != 1) {
    std::fputs(fmt::format("hone: {} is widened by the correction of the run (density to the power "
                           "{:.2f}); --uncorrected draws without it\n",
                           arguments.marginal, power)
                   .c_str(),
               stderr);
  }
  const PosteriorSamples samples =
      sample_posterior(posterior, arguments.count, Rng(arguments.seed).child("sample"));
  if (samples.method == "mcmc") {
    std::fputs(fmt::format("hone: rejection sampling would accept too few draws of {}; used MCMC, "
                           "{:.0f} effective samples\n",
                           arguments.marginal, samples.effective_size)
                   .c_str(),
               stderr);
  }
  if (arguments.format == "getdist") return write_getdist(arguments.output, posterior, samples);
  if (arguments.format == "npy") return deliver(arguments, npy_bytes(samples.theta));
  std::vector<std::string> names, labels;
  for (const int d : marginal) {
    const Parameter& parameter = prior.parameter(d);
    names.push_back(parameter.name);
    labels.push_back(parameter.label.empty() ? parameter.name : parameter.label);
  }
  if (arguments.format == "csv") return deliver(arguments, csv(samples, names));
  const std::vector<double> log_density = posterior.log_density(samples.theta);
  const ExportedSamples exported{names, labels, samples.theta, log_density};
  deliver(arguments, arguments.format == "npz" ? npz_bytes(exported) : netcdf_bytes(exported));
}

}  // namespace

void add_sample_command(CLI::App& program) {
  auto arguments = std::make_shared<SampleArguments>();
  CLI::App* command = program.add_subcommand("sample", "Draw from a marginal posterior of a run");
  command->add_option("directory", arguments->directory, "Directory of the run")->required();
  command
      ->add_option("--marginal", arguments->marginal,
                   "Parameters, as names or 0-based indices: a or a,b; or joint")
      ->required();
  command->add_option("-n,--count", arguments->count, "Samples")
      ->check(CLI::Range(Index{1}, Index{100000000}))
      ->capture_default_str();
  command->add_option("--seed", arguments->seed, "Same seed, same samples")
      ->check(check_seed, "")
      ->capture_default_str();
  command->add_option("--format", arguments->format, "csv, npy, npz, getdist or arviz (netCDF-4)")
      ->check(CLI::IsMember({"csv", "npy", "npz", "getdist", "arviz"}))
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output,
                      "File; root of the chain files for getdist [standard output]");
  command
      ->add_option("--observation", arguments->observation,
                   "Text file with other data from the region [the run's observation]")
      ->check(CLI::ExistingFile);
  command->add_flag("--uncorrected", arguments->uncorrected,
                    "Leave out the correction of `hone check --correct`");
  command->add_option("--threads", arguments->threads, kThreadsHelp)
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->callback([arguments] { with_threads(arguments->threads, [&] { sample(*arguments); }); });
}

}  // namespace hone::cli
