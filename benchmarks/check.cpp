// How long the calibration tests of a run take: all 55 marginals of the eggbox, from so many test
// draws. Prints JSON. The networks have the shape of the default preset and hardly any training,
// which does not change the time.
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "hone/check/check_run.h"
#include "hone/check/coverage.h"
#include "hone/check/draws.h"
#include "hone/check/ecdf.h"
#include "hone/core/parallel.h"
#include "hone/estimate/ratio_estimator.h"
#include "hone/inference/option_table.h"
#include "hone/problem/problem.h"
#include "hone/tasks/task.h"

namespace {

using namespace hone;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Draws from the whole prior of the task, and their data.
struct Draws {
  Matrix<float> x, theta;
  Matrix<double> local;

  Draws(const Task& task, Index rows, const Rng& rng)
      : x(rows, task.simulator()->data_size()),
        theta(rows, task.prior.dimensions()),
        local(rows, task.prior.dimensions()) {
    const TruncatedPrior prior(task.prior, Region::whole(task.prior.dimensions()));
    const PriorSamples samples = prior.sample(rows, rng);
    const auto simulator = task.simulator();
    const auto executor = make_thread_executor(*simulator);
    SimulationRequest request;
    request.theta = Matrix<double>(rows, task.prior.dimensions());
    std::copy_n(samples.theta.data(), rows * samples.theta.cols(), request.theta.data());
    for (Index i = 0; i < rows; ++i) {
      request.ids.push_back(i);
      request.seeds.push_back(rng.child("simulate", static_cast<std::uint64_t>(i)).bits64());
    }
    executor->run(request, [&](const FinishedSimulations& finished) {
      for (std::size_t i = 0; i < finished.rows.size(); ++i) {
        std::ranges::copy(finished.x.row(static_cast<Index>(i)), x.row(finished.rows[i]).begin());
      }
    });
    prior.to_local(local, samples.theta);
    std::copy_n(local.data(), rows * local.cols(), theta.data());
  }
};

SharedPosterior quick_estimator(const Task& task, const Draws& draws) {
  InferenceOptions options = preset("default");
  options.training.max_epochs = 3;
  std::vector<Index> training, validation;
  for (Index i = 0; i < draws.x.rows(); ++i) (i % 10 == 0 ? validation : training).push_back(i);
  Dataset data{.prior = TruncatedPrior(task.prior, Region::whole(task.prior.dimensions()))};
  data.x = std::make_unique<MatrixRows>(draws.x.view());
  data.theta = Matrix<float>(draws.theta.rows(), draws.theta.cols());
  std::copy_n(draws.theta.data(), draws.theta.rows() * draws.theta.cols(), data.theta.data());
  data.training = data.training_negatives = training;
  data.validation = data.validation_negatives = validation;
  const std::vector<Marginal> marginals = marginals_from_words({}, task.prior);
  return estimate(ratio_estimation(), {.data = data,
                                       .marginals = marginals,
                                       .ensemble = options.ensemble,
                                       .options = options,
                                       .rng = Rng(1),
                                       .observer = silent_observer()})
      .posterior;
}

}  // namespace

int main(int argc, char** argv) {
  Index count = 10000;
  int threads = 0;
  std::string name = "eggbox";
  CLI::App program("Time of the calibration tests");
  program.add_option("--draws", count, "Test draws");
  program.add_option("--threads", threads, "Threads; 0: one per core");
  program.add_option("--task", name, "Built-in problem");
  CLI11_PARSE(program, argc, argv);
  with_threads(threads, [&] {
    const Task& task = find_task(name);
    const Draws training(task, 2000, Rng(1));
    const SharedPosterior estimator = quick_estimator(task, training);
    const Draws draws(task, count, Rng(2));
    const auto start = Clock::now();
    const std::clock_t cpu_start = std::clock();
    const Matrix<float> features = estimator->features(draws.x);
    const auto ranks = rank_draws(block_posteriors(*estimator), {features, draws.local}, Rng(3),
                                  silent_observer());
    const double rank_seconds = seconds_since(start);
    std::vector<MarginalCredibility> credibility;
    std::vector<UniformValues> sbc, tarp;
    for (const MarginalRanks& one : ranks) {
      const auto row = one.credibility.row(0);
      credibility.push_back({"", std::ssize(one.marginal), {row.begin(), row.end()}});
      (one.marginal.size() == 1 ? sbc : tarp)
          .push_back({"", one.marginal.size() == 1 ? one.cdf : one.nearer});
    }
    const auto judge_start = Clock::now();
    check_coverage(credibility);
    ecdf_curves(sbc);
    ecdf_curves(tarp);
    const nlohmann::ordered_json json{
        {"task", name},
        {"marginals", estimator->marginals().size()},
        {"ensemble", estimator->ensemble()},
        {"draws", count},
        {"threads", thread_count()},
        {"seconds_ranks", rank_seconds},
        {"seconds_tests", seconds_since(judge_start)},
        {"seconds", seconds_since(start)},
        {"cpu_seconds", static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC}};
    std::puts(json.dump(2).c_str());
  });
}
