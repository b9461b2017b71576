// How fast stacks of density networks train, as a fraction of the machine's FMA peak and beside the
// same number of ratio networks on the same simulations. Both and the peak alternate inside one
// run; medians are reported. What is timed is the training itself, epoch by epoch: shuffling,
// reading, steps, validation.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <limits>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "benchmarks/fma_peak.h"
#include "hone/core/parallel.h"
#include "hone/engine/density_trainer.h"

namespace hone::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr Index kData = 10;
constexpr int kBatch = 128, kBatches = 8, kEpochs = 6, kComponents = 8, kHidden = 64, kBlocks = 2;

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Problem {
  Matrix<float> x, theta;
  std::vector<Index> training, validation;
};

Problem make_problem() {
  const Index rows = kBatch * kBatches + 2;
  Problem problem{Matrix<float>(rows, kData), Matrix<float>(rows, 1), {}, {}};
  Rng rng(7);
  for (Index i = 0; i < rows; ++i) {
    const double theta = rng.uniform();
    problem.theta(i, 0) = static_cast<float>(theta);
    for (float& value : problem.x.row(i)) value = static_cast<float>(theta + rng.normal());
    (i < rows - 2 ? problem.training : problem.validation).push_back(i);
  }
  return problem;
}

TrainingOptions training_options() {
  TrainingOptions options;
  options.optimizer = {.kind = OptimizerKind::adamw, .learning_rate = 1e-3, .clip_norm = 5};
  options.batch_size = kBatch;
  options.max_epochs = kEpochs;
  options.patience = 1000;
  options.validation_negatives = 1;
  options.weight_average = 0.99;
  return options;
}

// Useful operations of the matrix products of one step of a density network: 2 per
// multiply-and-add; forward, weight gradient, and input gradient where one is needed.
double operations_per_step() {
  const double outputs = 3 * kComponents;
  const double input = kData * (kHidden + outputs);
  const double body = 2.0 * kBlocks * kHidden * kHidden + kHidden * outputs;
  return 2.0 * kBatch * (2 * input + 3 * body);
}

Json run_case(int members, int repeats) {
  const Problem problem = make_problem();
  const MatrixRows x(problem.x);
  const TrainingData data{x, problem.theta, problem.training, problem.validation};
  std::vector<MemberSpec> specs;
  specs.reserve(static_cast<std::size_t>(members));
  for (int k = 0; k < members; ++k) specs.push_back({{0}, static_cast<std::uint64_t>(k)});
  const NetworkOptions network{
      .hidden = kHidden, .depth = kBlocks, .activation = Activation::silu, .norm = Norm::none};
  NetworkOptions ratio = network;
  ratio.norm = Norm::alternate;
  ratio.dropout = 0.05;
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<double> fraction, cut_fraction, over_ratios, microseconds;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto seconds = [&](const DensityTraining& densities) {
      const auto start = std::chrono::steady_clock::now();
      train_densities(data, specs, densities, network, {}, training_options(), Rng(1));
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    const double work = operations_per_step() * kBatches * kEpochs * members / 1e9;
    const double before = measure_fma_peak();
    const double cpu = cpu_seconds();
    const double open = seconds({.components = kComponents, .bounds = {{-infinity}, {infinity}}});
    const double density_cpu = cpu_seconds() - cpu;
    const double between = measure_fma_peak();
    const double cut = seconds({.components = kComponents, .bounds = {{0}, {1}}});
    const double after = measure_fma_peak();
    const double ratio_start = cpu_seconds();
    train(data, specs, ratio, {}, training_options(), Rng(1));
    over_ratios.push_back(density_cpu / (cpu_seconds() - ratio_start));
    fraction.push_back(work / open / (0.5 * (before + between)));
    cut_fraction.push_back(work / cut / (0.5 * (between + after)));
    microseconds.push_back(1e6 * density_cpu / (kBatches * kEpochs * members));
  }
  return {{"members", members},
          {"components", kComponents},
          {"batch", kBatch},
          {"threads", thread_count()},
          {"instruction_set", fma_instruction_set()},
          {"fraction_of_peak", median(fraction)},
          {"fraction_of_peak_in_an_interval", median(cut_fraction)},
          {"cpu_microseconds_per_member_step", median(microseconds)},
          {"cpu_time_over_ratio_stack", median(over_ratios)}};
}

int run(int argc, char** argv) {
  CLI::App app("Density networks: training against the FMA peak and beside ratio networks");
  int repeats = 9, threads = 0;
  app.add_option("--repeats", repeats, "Repetitions of each measurement")->check(CLI::Range(1, 99));
  app.add_option("--threads", threads, "Threads; 0: one per core");
  CLI11_PARSE(app, argc, argv);
  Json results = Json::array();
  with_threads(threads, [&] {
    for (const int members : {10, 55}) results.push_back(run_case(members, repeats));
  });
  std::puts(results.dump(2).c_str());
  return 0;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::run(argc, argv);
}
