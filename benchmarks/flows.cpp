// How fast flows train: those of published NPE (splines of 10 bins) and NLE (affine transforms),
// five transforms each, as a fraction of the machine's FMA peak and, where it is installed, beside
// the same networks in LibTorch. One thread and its CPU time; engine and LibTorch alternate inside
// one run, and medians are reported. The engine's time is that of whole training: shuffling,
// reading, steps, validation.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <limits>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "benchmarks/fma_peak.h"
#include "hone/core/parallel.h"
#include "hone/engine/density_trainer.h"
#ifdef HONE_HAVE_LIBTORCH
#include "benchmarks/libtorch_flow.h"
#endif

namespace hone::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kTransforms = 5, kHidden = 50, kBlocks = 2, kRows = 9000;

struct Case {
  const char* name;
  int columns, context, knots, batch;  // 0 knots: affine
};

// Ten columns as in gaussian_linear, two as in two_moons; steps on few rows and on all of them.
constexpr Case kCases[] = {{"npe_2", 2, 2, 11, 128},    {"npe_2_all_rows", 2, 2, 11, 9000},
                           {"npe_10", 10, 10, 11, 128}, {"nle_2", 2, 2, 0, 128},
                           {"nle_10", 10, 10, 0, 128},  {"nle_10_all_rows", 10, 10, 0, 9000}};

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// As many numbers as LibTorch's network says; the engine has one more for each Gaussian, its
// weight.
double operations(const Case& c) {
  const double h = kHidden, out = c.columns * (c.knots == 0 ? 2 : 3 * c.knots);
  const double rest = 2.0 * kBlocks * h * h + h * out + c.columns * (h + out);
  return 2.0 * c.batch * kTransforms * (2 * c.context * (h + out) + 3 * rest);
}

class EngineFlow {
 public:
  explicit EngineFlow(const Case& c)
      : case_(c), x_(kRows + 2, c.context), y_(kRows + 2, c.columns) {
    Rng rng(7);
    for (Index i = 0; i < x_.rows(); ++i) {
      for (float& value : x_.row(i)) value = static_cast<float>(rng.normal());
      for (float& value : y_.row(i)) value = static_cast<float>(rng.normal());
      (i < kRows ? training_ : validation_).push_back(i);
    }
    member_.columns.resize(static_cast<std::size_t>(c.columns));
    for (int d = 0; d < c.columns; ++d) member_.columns[static_cast<std::size_t>(d)] = d;
  }
  // CPU seconds of a step.
  double seconds(int epochs) const {
    const MatrixRows x(x_);
    TrainingOptions options;
    options.optimizer = {.kind = OptimizerKind::adam, .learning_rate = 5e-4, .clip_norm = 5};
    options.schedule.kind = ScheduleKind::constant;
    options.batch_size = case_.batch;
    options.max_epochs = epochs;
    options.patience = 1000;
    const auto columns = static_cast<std::size_t>(case_.columns);
    const float infinity = std::numeric_limits<float>::infinity();
    DensityTraining densities;
    densities.form = case_.knots == 0 ? DensityForm::mixture : DensityForm::spline;
    densities.components = std::max(1, case_.knots);
    densities.bounds = {std::vector(columns, -infinity), std::vector(columns, infinity)};
    densities.transforms = kTransforms;
    const NetworkOptions network{
        .hidden = kHidden, .depth = kBlocks, .activation = Activation::relu, .norm = Norm::none};
    const double start = cpu_seconds();
    train_densities({x, y_, training_, validation_}, {member_}, densities, network, {}, options,
                    Rng(1));
    const Index steps = epochs * (kRows / case_.batch);
    return (cpu_seconds() - start) / static_cast<double>(steps);
  }

 private:
  Case case_;
  Matrix<float> x_, y_;
  std::vector<Index> training_, validation_;
  MemberSpec member_;
};

Json run_case(const Case& c, int repeats) {
  const EngineFlow engine(c);
  const int epochs = c.batch == kRows ? 12 : 1;
  std::vector<double> own, fraction, ratio, torch;
#ifdef HONE_HAVE_LIBTORCH
  const auto reference = make_libtorch_flow({.columns = c.columns,
                                             .context = c.context,
                                             .transforms = kTransforms,
                                             .hidden = kHidden,
                                             .blocks = kBlocks,
                                             .knots = c.knots,
                                             .batch = c.batch});
  const int steps = std::max(3, 4000 / c.batch);
  reference->step();
#endif
  for (int repeat = 0; repeat < repeats; ++repeat) {
    own.push_back(engine.seconds(epochs));
    fraction.push_back(operations(c) / own.back() / 1e9 / measure_fma_peak());
#ifdef HONE_HAVE_LIBTORCH
    const double start = cpu_seconds();
    for (int i = 0; i < steps; ++i) reference->step();
    torch.push_back((cpu_seconds() - start) / steps);
    ratio.push_back(torch.back() / own.back());
#endif
  }
  Json result{{"case", c.name},
              {"columns", c.columns},
              {"context", c.context},
              {"transforms", kTransforms},
              {"knots", c.knots},
              {"batch", c.batch},
              {"cpu_microseconds_per_step", 1e6 * median(own)},
              {"fraction_of_peak", median(fraction)}};
  if (!torch.empty()) {
    result["libtorch_cpu_microseconds_per_step"] = 1e6 * median(torch);
    result["libtorch_over_engine"] = median(ratio);
  }
  return result;
}

int run(int argc, char** argv) {
  CLI::App app("Flows: training against the FMA peak and beside LibTorch");
  int repeats = 7;
  app.add_option("--repeats", repeats, "Repetitions of each measurement")->check(CLI::Range(1, 99));
  CLI11_PARSE(app, argc, argv);
  Json results = Json::array();
  with_threads(1, [&] {
    for (const Case& c : kCases) results.push_back(run_case(c, repeats));
  });
  std::puts(results.dump(2).c_str());
  return 0;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::run(argc, argv);
}
