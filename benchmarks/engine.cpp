// How fast the engine trains and evaluates, as a fraction of the machine's FMA peak and against the
// same step in LibTorch. Both sides and the peak alternate inside one run; medians are reported.
// What is timed is train() itself, epoch by epoch: shuffling, reading, negatives, steps,
// validation.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "benchmarks/fma_peak.h"
#include "hone/core/parallel.h"
#include "hone/engine/embedding_trainer.h"
#include "hone/engine/trainer.h"
#ifdef HONE_HAVE_LIBTORCH
#include "benchmarks/libtorch_step.h"
#endif

namespace hone::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Half the distance between the quartiles, relative to the median.
double spread(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[values.size() * 3 / 4] - values[values.size() / 4]) / (2 * median(values));
}

struct Case {
  std::string name;
  int members = 1;
  Index data_size = 10;
  int batch = 128;
  int batches = 8;  // per epoch
  int epochs = 4;   // timed
  NetworkOptions network = {};
  EmbeddingOptions embedding = {};
};

// Useful operations of the matrix products of one epoch: 2 per multiply-and-add; forward, weight
// gradient, and input gradient where one is needed.
double operations_per_epoch(const Case& c) {
  const double rows = 2.0 * c.batch, batch = c.batch, hidden = c.network.hidden;
  const double linear =
      c.network.kind == NetworkKind::resnet ? 2.0 * c.network.depth : c.network.depth - 1.0;
  const bool embedded = c.embedding.kind != EmbeddingKind::none;
  const double features = embedded ? c.embedding.features : static_cast<double>(c.data_size);
  const double data_part = batch * features * hidden, theta_part = rows * hidden;
  const double body = rows * (linear * hidden * hidden + hidden);
  double member = 2 * (data_part + theta_part) + 3 * body + (embedded ? data_part : 0);
  double total = c.members * member;
  if (embedded) total += 2 * batch * static_cast<double>(c.data_size) * features;
  return 2 * c.batches * total;
}

struct Problem {
  Matrix<float> x, theta;
  std::vector<Index> training, validation;
};

Problem make_problem(const Case& c) {
  const Index rows = Index{c.batch} * c.batches + 2;
  Problem problem{Matrix<float>(rows, c.data_size), Matrix<float>(rows, 1), {}, {}};
  Rng rng(7);
  for (Index i = 0; i < rows; ++i) {
    const double theta = rng.normal();
    problem.theta(i, 0) = static_cast<float>(theta);
    for (float& value : problem.x.row(i)) value = static_cast<float>(theta + rng.normal());
    (i < rows - 2 ? problem.training : problem.validation).push_back(i);
  }
  return problem;
}

// Remembers when each epoch ended.
class EpochClock : public Observer {
 public:
  void stage_advanced(std::string_view, Index, Index) override { ends_.push_back(Clock::now()); }
  // Mean over all epochs but the first, which also warms up.
  double seconds_per_epoch() const {
    return std::chrono::duration<double>(ends_.back() - ends_.front()).count() /
           static_cast<double>(ends_.size() - 1);
  }

 private:
  std::vector<Clock::time_point> ends_;
};

TrainingResult run_training(const Case& c, const Problem& problem, Observer& observer) {
  std::vector<MemberSpec> members;
  for (int k = 0; k < c.members; ++k) members.push_back({{0}, static_cast<std::uint64_t>(k)});
  TrainingOptions options;
  options.batch_size = c.batch;
  options.max_epochs = 1 + c.epochs;
  options.patience = 1000;
  options.validation_negatives = 1;
  const MatrixRows x(problem.x);
  return train({x, problem.theta, problem.training, problem.validation}, std::move(members),
               c.network, c.embedding, options, Rng(1), observer);
}

#ifdef HONE_HAVE_LIBTORCH
std::unique_ptr<LibtorchStep> make_libtorch(const Case& c) {
  if (c.embedding.kind == EmbeddingKind::none) {
    return make_libtorch_resnets({.members = c.members,
                                  .hidden = c.network.hidden,
                                  .blocks = c.network.depth,
                                  .n_x = static_cast<int>(c.data_size),
                                  .n_theta = 1,
                                  .batch = c.batch,
                                  .threads = thread_count()});
  }
  return make_libtorch_embedding({.heads = c.members,
                                  .data_size = static_cast<int>(c.data_size),
                                  .features = c.embedding.features,
                                  .hidden = c.network.hidden,
                                  .hidden_layers = c.network.depth,
                                  .n_theta = 1,
                                  .batch = c.batch,
                                  .threads = thread_count()});
}

// GFLOP/s of at least 0.1 s of steps, after one to warm up.
double measure_libtorch(LibtorchStep& step) {
  step.step();
  const auto start = Clock::now();
  int steps = 0;
  while (steps == 0 || seconds_since(start) < 0.1) {
    step.step();
    ++steps;
  }
  const double rate = steps * step.operations() / seconds_since(start) / 1e9;
  settle_libtorch();
  return rate;
}
#endif

// One grid of 4,096 thetas for 64 x, by the first members of the stack.
double measure_evaluation(const Case& c, const Problem& problem, const RatioStack& stack) {
  const Index grid = 4096, data = 64;
  Matrix<float> theta(grid, 1), out(data, grid);
  for (Index i = 0; i < grid; ++i) theta(i, 0) = static_cast<float>(i) / grid;
  const Matrix<float> features = stack.features(problem.x.view().rows(0, data));
  const double hidden = c.network.hidden;
  const double linear =
      c.network.kind == NetworkKind::resnet ? 2.0 * c.network.depth : c.network.depth - 1.0;
  const double operations =
      2.0 * static_cast<double>(grid * data) * (linear * hidden * hidden + 2 * hidden);
  const auto start = Clock::now();
  int runs = 0;
  while (runs < 2 || seconds_since(start) < 0.05) {
    stack.log_ratios(out, runs % stack.size(), features, theta);
    ++runs;
  }
  return runs * operations / seconds_since(start) / 1e9;
}

// GFLOP/s of the shared embedding by itself: features, gradient, optimiser. Batches rotate.
double measure_embedding(const Case& c, const Problem& problem, RatioStack& stack) {
  TrainingOptions options;
  options.batch_size = c.batch;
  EmbeddingTrainer trainer(stack, options, Rng(2));
  Matrix<float> x(problem.x.rows(), padded(c.data_size));
  stack.x_scores().apply(x, problem.x);
  const Index gradients = c.batch * trainer.forward({{}, x.view().rows(0, c.batch)}).cols();
  std::ranges::fill(trainer.feature_gradient(0).first(static_cast<std::size_t>(gradients)), 1e-3F);
  const std::vector<Index> members{0};
  const double operations =
      2.0 * 2 * c.batch * static_cast<double>(c.data_size) * c.embedding.features;
  const auto start = Clock::now();
  int steps = 0;
  while (steps < 8 || seconds_since(start) < 0.1) {
    const auto batch = x.view().rows(Index{steps % c.batches} * c.batch, c.batch);
    trainer.forward({{}, batch});
    trainer.step(batch, members, 1e-4);
    ++steps;
  }
  return steps * operations / seconds_since(start) / 1e9;
}

Json run_case(const Case& c, int repeats) {
  const Problem problem = make_problem(c);
  std::vector<double> peak, training, fraction, evaluation, evaluation_fraction, libtorch, speedup;
  std::vector<double> alone;  // the embedding's share of the peak
#ifdef HONE_HAVE_LIBTORCH
  const auto torch_step = make_libtorch(c);
#endif
  std::size_t member_bytes = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    // The peak before and after the work it is compared with: the machine may be slower now.
    const double before = measure_fma_peak();
    EpochClock clock;
    TrainingResult result = run_training(c, problem, clock);
    const double between = measure_fma_peak();
    const double rate = operations_per_epoch(c) / clock.seconds_per_epoch() / 1e9;
    peak.push_back((before + between) / 2);
    training.push_back(rate);
    fraction.push_back(rate / peak.back());
    evaluation.push_back(measure_evaluation(c, problem, result.stack));
    evaluation_fraction.push_back(evaluation.back() / ((between + measure_fma_peak()) / 2));
    member_bytes = training_bytes_per_member(result.stack, {});
    if (c.embedding.kind != EmbeddingKind::none) {
      const double first = measure_fma_peak();
      const double rate_alone = measure_embedding(c, problem, result.stack);
      alone.push_back(rate_alone / ((first + measure_fma_peak()) / 2));
    }
#ifdef HONE_HAVE_LIBTORCH
    libtorch.push_back(measure_libtorch(*torch_step));
    speedup.push_back(rate / libtorch.back());
#endif
  }
  const double gflop_per_member = operations_per_epoch(c) / c.batches / c.members / 1e9;
  Json json{{"case", c.name},
            {"members", c.members},
            {"hidden", c.network.hidden},
            {"data_size", c.data_size},
            {"batch", c.batch},
            {"repeats", repeats},
            {"threads", thread_count()},
            {"instruction_set", fma_instruction_set()},
            {"peak_gflops", median(peak)},
            {"train_gflops", median(training)},
            {"train_spread", spread(training)},
            {"fraction_of_peak", median(fraction)},
            {"evaluate_gflops", median(evaluation)},
            {"evaluate_fraction_of_peak", median(evaluation_fraction)},
            {"microseconds_per_member_step", 1e6 * gflop_per_member / median(training)},
            {"training_bytes_per_member", member_bytes}};
  if (!alone.empty()) json["embedding_fraction_of_peak"] = median(alone);
  if (!libtorch.empty()) {
    json["libtorch_gflops"] = median(libtorch);
    json["speedup_over_libtorch"] = median(speedup);
#ifdef HONE_HAVE_LIBTORCH
    json["libtorch_blas"] = libtorch_blas();
#endif
  }
  return json;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const int members : {10, 55, 1}) {
    cases.push_back({.name = "k" + std::to_string(members), .members = members});
  }
  for (Case& c : cases) c.epochs = std::max(2, 200 / c.members);
  cases.push_back({.name = "k1000", .members = 1000, .batches = 4, .epochs = 2});
  Case embedding{.name = "embedding", .members = 21, .data_size = 7497, .batches = 4, .epochs = 4};
  embedding.network = {.kind = NetworkKind::mlp, .hidden = 256, .depth = 3, .norm = Norm::none};
  embedding.embedding = {.kind = EmbeddingKind::linear, .features = 10, .hidden = {}};
  cases.push_back(embedding);
  return cases;
}

int run(int argc, char** argv) {
  CLI::App app("Engine benchmark: training and evaluation against the FMA peak and LibTorch");
  std::string output;
  std::vector<std::string> only;
  int repeats = 9, threads = 0;
  app.add_option("--output", output, "Write the JSON here as well");
  app.add_option("--case", only, "Only these cases (k10, k55, k1, k1000, embedding)");
  app.add_option("--repeats", repeats, "Repetitions of each measurement")->check(CLI::Range(1, 99));
  app.add_option("--threads", threads, "Threads; 0: one per core");
  CLI11_PARSE(app, argc, argv);
  Json results = Json::array();
  with_threads(threads, [&] {
    for (const Case& c : all_cases()) {
      if (!only.empty() && std::ranges::find(only, c.name) == only.end()) continue;
      results.push_back(run_case(c, repeats));
      std::fprintf(stderr, "%s\n", results.back().dump().c_str());
    }
  });
  const std::string text = results.dump(2) + "\n";
  std::fputs(text.c_str(), stdout);
  if (!output.empty()) std::ofstream(output) << text;
  return 0;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::run(argc, argv);
}
