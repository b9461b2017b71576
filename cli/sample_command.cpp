#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>

#include <fmt/ranges.h>

#include "cli/check_text.h"
#include "cli/commands.h"
#include "cli/execute.h"
#include "cli/open_run.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "cli/wrong_use.h"
#include "hone/check/joint_check.h"
#include "hone/check/other_data.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/export/sample_export.h"
#include "hone/files/number_file.h"
#include "hone/files/output_file.h"
#include "hone/posterior/sampling.h"
#include "hone/run/finished_run.h"
#include "hone/run/joint_run.h"
#include "hone/session/resources.h"

namespace hone::cli {
namespace {

struct SampleArguments {
  std::string directory, marginal, output, observation;
  std::string format = "csv";
  Index count = 1000;
  std::uint64_t seed = 1;
  int threads = 0;
  bool uncorrected = false, anyway = false;
};

void deliver(const SampleArguments& arguments, const ExportedFiles& files) {
  if (!arguments.output.empty()) {
    for (const auto& [ending, bytes] : files) {
      write_output_file(arguments.output + ending, bytes);
    }
    return;
  }
  const std::string& bytes = files.front().second;
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) {
    fail(ErrorKind::io, "standard output: cannot write the samples");
  }
}

std::vector<double> chosen_data(const SampleArguments& arguments, const RunSpec& spec) {
  if (arguments.observation.empty()) return spec.observation;
  std::vector<double> values = read_numbers(arguments.observation, spec.data.has_missing());
  if (values.size() != spec.observation.size()) {
    fail(ErrorKind::input, "{}: there are {} numbers, the simulator of {} makes {}",
         arguments.observation, values.size(), spec.name, spec.observation.size());
  }
  spec.data.check_gaps(values);
  return values;
}

MarginalPosterior trained_posterior(const std::vector<TrainedPosterior>& posteriors,
                                    const Marginal& marginal, std::span<const double> x,
                                    double power, const SampleArguments& arguments) {
  try {
    return find_posterior(posteriors, marginal, x, power);
  } catch (const Error& error) {
    if (posteriors.empty()) throw;
    fail(ErrorKind::input,
         "{}. It is added without new simulations by\n  hone train {} --marginal {}", error.what(),
         arguments.directory, arguments.marginal);
  }
}

// Other data than the observation, which the checks of the run looked at.
void compare_other_data(const SampleArguments& arguments, const RunDirectory& run,
                        const std::vector<TrainedPosterior>& posteriors,
                        std::span<const double> x) {
  if (arguments.observation.empty() || posteriors.empty()) return;
  const auto found = compare_with_simulations(run, *posteriors[0].posterior, x);
  if (!found || found->status == Status::pass) return;
  if (found->status == Status::fail && !arguments.anyway) {
    fail(ErrorKind::input,
         "{}: these data lie far outside the simulations of {}, where networks only extrapolate "
         "({}). Run hone with them as the observation, or add --anyway",
         arguments.observation, arguments.directory, found->reason);
  }
  print_error(fmt::format("hone: warning: {}: {}\n", arguments.observation, found->reason));
}

ExportedSamples exported(const MarginalPosterior& posterior, const Matrix<double>& theta) {
  const Prior& prior = posterior.prior().prior();
  ExportedSamples samples{.columns = {}, .theta = theta, .log_density = [&posterior, &theta] {
                            return posterior.log_density(theta);
                          }};
  for (const int d : posterior.marginal()) {
    const Parameter& parameter = prior.parameter(d);
    const Bounds hull = theta_hull(prior, posterior.prior().region(), d);
    samples.columns.push_back({parameter.name,
                               parameter.label.empty() ? parameter.name : parameter.label, hull.low,
                               hull.high});
  }
  return samples;
}

// All parameters, and what is derived from them, from the joint posterior; trained if it has to be.
void sample_joint(const SampleArguments& arguments, const RunDirectory& run,
                  std::span<const double> x, const ExportFormat& format) {
  Progress progress;
  const bool noisy = run.spec().noise.kind == NoiseKind::simulator;
  const Resources resources(run, {.threads = arguments.threads, .with_simulator = noisy});
  const NoiseModel* noise = resources.executor().noise();
  const CheckedJoint checked = checked_joint(run, progress, noise);
  progress.clear();
  require_usable(run, checked, "draw from marginals (--marginal)", arguments.anyway);
  print_error(joint_line(checked.source(), checked.check));
  const SharedPosterior& all = checked.posterior;
  const Prior& prior = run.spec().prior;
  const Matrix<double> draws =
      joint_draws(run, *all, x, arguments.count, Rng(arguments.seed).child("sample"));
  Matrix<double> theta(draws.rows(), prior.dimensions());
  for (Index i = 0; i < theta.rows(); ++i) {
    std::ranges::copy(draws.row(i).first(static_cast<std::size_t>(theta.cols())),
                      theta.row(i).begin());
  }
  const MarginalPosterior posterior(*all, joint(prior.dimensions()), x);
  ExportedSamples samples = exported(posterior, theta);
  samples.theta = draws;
  for (const DerivedQuantity& one : prior.derived()) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    samples.columns.push_back({one.name, one.label, -kInfinity, kInfinity});
  }
  deliver(arguments, format.make(samples));
}

void sample(const SampleArguments& arguments) {
  const ExportFormat& format = find_export_format(arguments.format);
  if (!format.one_file && arguments.output.empty()) {
    fail(ErrorKind::input, "--format {} writes several files: give their root with -o",
         format.name);
  }
  check_output_directory(arguments.output);
  const RunDirectory run = open_run(arguments.directory);
  const Prior& prior = run.spec().prior;
  if (arguments.marginal.empty()) {
    run.require_complete();
    const std::vector<double> data = chosen_data(arguments, run.spec());
    compare_other_data(arguments, run, run.posteriors(), data);
    return sample_joint(arguments, run, data, format);
  }
  const Marginal marginal = arguments.marginal == "joint"
                                ? joint(prior.dimensions())
                                : parse_marginal(arguments.marginal, prior.quantity_names());
  const std::vector<double> x = chosen_data(arguments, run.spec());
  const std::vector<TrainedPosterior> posteriors = run.posteriors();
  compare_other_data(arguments, run, posteriors, x);
  const double power =
      arguments.uncorrected ? 1 : run.correction().value_or(Correction{}).power(marginal);
  const MarginalPosterior posterior = trained_posterior(posteriors, marginal, x, power, arguments);
  if (power != 1) {
    print_error(
        fmt::format("hone: {} is widened by the correction of the run (density to the power "
                    "{:.2f}); --uncorrected draws without it\n",
                    arguments.marginal, power));
  }
  const PosteriorSamples samples =
      sample_posterior(posterior, arguments.count, Rng(arguments.seed).child("sample"));
  if (samples.method == "mcmc") {
    print_error(
        fmt::format("hone: rejection sampling would accept too few draws of {}; used MCMC, "
                    "{:.0f} effective samples\n",
                    arguments.marginal, samples.effective_size));
  }
  deliver(arguments, format.make(exported(posterior, samples.theta)));
}

}  // namespace

void add_sample_command(CLI::App& program) {
  auto arguments = std::make_shared<SampleArguments>();
  CLI::App* command =
      program.add_subcommand("sample", "Draw samples from a marginal posterior of a run");
  command->add_option("directory", arguments->directory, "Directory of the run")->required();
  command
      ->add_option(
          "--marginal", arguments->marginal,
          "Which posterior to draw from: names or 0-based indices of parameters or derived "
          "quantities, such as a or a,b; or joint, if it was trained [all parameters, from a joint "
          "posterior, which is trained and checked when it is first needed]")
      ->check(
          [](const std::string& text) {
            return std::string(text.empty() ? "must name parameters" : "");
          },
          "");
  command->add_option("-n,--count", arguments->count, "Number of samples")
      ->check(CLI::Range(Index{1}, Index{100000000}))
      ->capture_default_str();
  command
      ->add_option("--seed", arguments->seed,
                   "Seed of the random numbers; the same seed gives the same samples")
      ->check(check_seed, "")
      ->capture_default_str();
  std::vector<std::string> formats, of_several_files;
  for (const ExportFormat& format : export_formats()) {
    formats.push_back(fmt::format("{} ({})", format.name, format.summary));
    if (!format.one_file) of_several_files.push_back(format.name);
  }
  command
      ->add_option("--format", arguments->format,
                   fmt::format("Format: {}", fmt::join(formats, ", ")))
      ->capture_default_str();
  command->add_option(
      "-o,--output", arguments->output,
      fmt::format("File to write; for {}, the common beginning of the names of its files "
                  "[standard output]",
                  fmt::join(of_several_files, " and ")));
  command
      ->add_option("--observation", arguments->observation,
                   "Text file with other data, which must come from parameters inside the region "
                   "[the run's observation]")
      ->check(CLI::ExistingFile);
  command->add_flag(
      "--anyway", arguments->anyway,
      "Answer also for data that lie far outside the simulations of the run, and from "
      "a joint posterior that fails its check");
  command->add_flag(
      "--uncorrected", arguments->uncorrected,
      "Draw from the original posterior, without the correction of `hone check --correct`");
  command->add_option("--threads", arguments->threads, kThreadsHelp)
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->callback([arguments] { with_threads(arguments->threads, [&] { sample(*arguments); }); });
}

}  // namespace hone::cli
