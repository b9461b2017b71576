#include "hone/bench/run_case.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>

#include "hone/bench/case_run.h"
#include "hone/core/error.h"
#include "hone/metrics/histogram_kl.h"
#include "hone/metrics/marginal_pairs.h"
#include "hone/posterior/sampling.h"
#include "hone/run/execute_run.h"
#include "hone/session/open_simulator.h"
#include "hone/tasks/task.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// The first `count` rows, or all if there are fewer.
Matrix<double> columns_of(const Matrix<double>& rows, const Marginal& marginal, Index count) {
  Matrix<double> result(std::min(count, rows.rows()), std::ssize(marginal));
  for (Index i = 0; i < result.rows(); ++i) {
    for (Index j = 0; j < result.cols(); ++j) {
      result(i, j) = rows(i, marginal[static_cast<std::size_t>(j)]);
    }
  }
  return result;
}

// a: the reference; b: the estimate. Projections of joint samples, and these themselves, where the
// estimator has them; else marginal by marginal, each with an estimator of its own.
std::vector<SamplePair> draw_pairs(const AmortizedPosterior& estimator,
                                   const BenchReference& reference, Index count, const Rng& rng,
                                   Observer& observer) {
  const std::vector<Marginal>& marginals = estimator.marginals();
  const Index total = std::ssize(marginals);
  std::vector<SamplePair> pairs;
  observer.stage_started("sample", total);
  if (const auto all = estimator.joint_samples(reference.observation, count, rng.child("joint"))) {
    for (const Marginal& marginal : marginals) {
      pairs.push_back(
          {columns_of(reference.samples, marginal, count), columns_of(*all, marginal, count)});
    }
    const Marginal everything = joint(estimator.prior().dimensions());
    if (!estimator.has(everything)) {
      pairs.push_back(
          {columns_of(reference.samples, everything, count), columns_of(*all, everything, count)});
    }
    observer.stage_finished("sample");
    return pairs;
  }
  for (const Marginal& marginal : marginals) {
    stop_if_requested(observer);
    const MarginalPosterior posterior(estimator, marginal, reference.observation);
    PosteriorSamples samples =
        sample_posterior(posterior, count, rng.child("marginal", pairs.size()));
    pairs.push_back({columns_of(reference.samples, marginal, count), std::move(samples.theta)});
    observer.stage_advanced("sample", std::ssize(pairs), total);
  }
  observer.stage_finished("sample");
  return pairs;
}

void score(BenchScores& scores, const std::vector<SamplePair>& pairs, Index parameters,
           const Rng& rng, Observer& observer) {
  const std::map<Index, double> means = c2st_ddm(pairs, c2st(pairs, C2stOptions{}, rng, observer));
  const auto mean = [&](Index dimensions) {
    const auto found = means.find(dimensions);
    return found == means.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
  };
  scores.c2st_1d = mean(1);
  scores.c2st_2d = mean(2);
  scores.c2st_joint = mean(parameters);
  for (const SamplePair& pair : pairs) {
    if (pair.a.cols() != 1) continue;
    const auto values = [](const Matrix<double>& column) {
      return std::span(column.data(), static_cast<std::size_t>(column.rows()));
    };
    scores.kl += histogram_kl(values(pair.a), values(pair.b));
  }
}

}  // namespace

BenchScores run_case(const BenchCase& run, const BenchReference& reference,
                     const fs::path& directory, Observer& observer) {
  const Task& task = find_task(run.task);
  RunDirectory inference = open_case_run(
      directory, task_run(task, reference.observation, run.seed, inference_options(run)));
  const OpenSimulator open = open_run_simulator(inference.spec());
  const RunInference done = infer_run(inference, {*open.executor, observer});

  const InferenceResult& result = done.result;
  BenchScores scores{.simulations = done.simulations,
                     .failed = done.failed,
                     .rounds = static_cast<int>(result.rounds.size()),
                     .prior_mass = result.region.mass(),
                     .converged = result.converged};
  const AmortizedPosterior& estimator = *result.posterior.posterior;
  const Rng rng = Rng(run.seed).child("bench");
  const std::vector<SamplePair> pairs =
      draw_pairs(estimator, reference, run.samples, rng.child("sample"), observer);
  score(scores, pairs, task.prior.dimensions(), rng.child("score"), observer);
  return scores;
}

}  // namespace hone
