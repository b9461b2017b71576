#include "hone/bench/cosmology_study.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "hone/bench/case_run.h"
#include "hone/core/cholesky.h"
#include "hone/core/error.h"
#include "hone/core/suggestion.h"
#include "hone/metrics/marginal_pairs.h"
#include "hone/posterior/metropolis.h"
#include "hone/posterior/sampling.h"
#include "hone/problem/problem.h"
#include "hone/run/execute_run.h"
#include "hone/session/open_simulator.h"

namespace hone {
namespace {

constexpr const char* kTask = "cmb";
constexpr std::array kNames = {"mnre", "tmnre", "nre", "mcmc"};

RunSpec run_spec(const CosmologyCase& one, const Task& task, const BenchReference& reference) {
  RunSpec spec = task_run(task, reference.observation, one.seed, one.options);
  spec.options.method = one.method == CosmologyMethod::tmnre ? "tmnre" : "mnre";
  if (one.method == CosmologyMethod::nre) {
    spec.marginals = marginals_from_words({"joint"}, task.prior);
  }
  return spec;
}

std::vector<Marginal> all_marginals(const Prior& prior) {
  return marginals_from_words({}, prior);
}

CosmologySamples projections(const Matrix<double>& rows, const std::vector<Marginal>& marginals) {
  CosmologySamples result{marginals, {}};
  for (const Marginal& marginal : marginals) {
    Matrix<double>& samples = result.samples.emplace_back(rows.rows(), std::ssize(marginal));
    for (Index i = 0; i < rows.rows(); ++i) {
      for (Index k = 0; k < samples.cols(); ++k) {
        samples(i, k) = rows(i, marginal[static_cast<std::size_t>(k)]);
      }
    }
  }
  return result;
}

CosmologySamples samples_of_run(const CosmologyCase& one, const BenchReference& reference,
                                const std::filesystem::path& directory, Observer& observer) {
  const Task& task = find_task(kTask);
  RunDirectory run = open_case_run(directory, run_spec(one, task, reference));
  const OpenSimulator open = open_run_simulator(run.spec());
  if (!run.complete()) execute_run(run, {*open.executor, observer});
  const SharedPosterior estimated = run.final_posterior().posterior;
  const AmortizedPosterior& estimator = *estimated;
  const Rng rng = Rng(one.seed).child("cosmology");
  const std::vector<Marginal> marginals = all_marginals(task.prior);
  const auto draw = [&](const Marginal& marginal, std::uint64_t index) {
    const MarginalPosterior posterior(estimator, marginal, reference.observation);
    return sample_posterior(posterior, one.samples, rng.child("sample", index)).theta;
  };
  if (one.method == CosmologyMethod::nre) {
    return projections(draw(estimator.marginals().front(), 0), marginals);
  }
  CosmologySamples result{marginals, {}};
  observer.stage_started("sample", std::ssize(marginals));
  for (const Marginal& marginal : marginals) {
    stop_if_requested(observer);
    result.samples.push_back(draw(marginal, result.samples.size()));
    observer.stage_advanced("sample", std::ssize(result.samples), std::ssize(marginals));
  }
  observer.stage_finished("sample");
  return result;
}

struct Moments {
  std::vector<double> mean;
  Matrix<double> covariance;
};

Moments moments_of(const Matrix<double>& rows) {
  const Index size = rows.cols();
  const double n = static_cast<double>(rows.rows());
  Moments m{std::vector<double>(static_cast<std::size_t>(size), 0.0), Matrix<double>(size, size)};
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index d = 0; d < size; ++d) m.mean[static_cast<std::size_t>(d)] += rows(i, d) / n;
  }
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index d = 0; d < size; ++d) {
      for (Index e = 0; e < size; ++e) {
        m.covariance(d, e) += (rows(i, d) - m.mean[static_cast<std::size_t>(d)]) *
                              (rows(i, e) - m.mean[static_cast<std::size_t>(e)]) / (n - 1);
      }
    }
  }
  return m;
}

// The chain of a practitioner who knows the answer already: proposals 2.38 / sqrt(d) times the
// posterior's own covariance (Gelman et al. 1997).
CosmologySamples samples_of_chain(const CosmologyCase& one, const BenchReference& reference) {
  const Task& task = find_task(kTask);
  const Moments exact = moments_of(reference.samples);
  Matrix<double> proposal = cholesky(exact.covariance);
  const double scale = 2.38 / std::sqrt(static_cast<double>(proposal.rows()));
  for (Index d = 0; d < proposal.rows(); ++d) {
    for (double& value : proposal.row(d)) value *= scale;
  }
  const auto log_density = [&](std::span<const double> theta) {
    const double prior = task.prior.log_density(theta);
    return std::isfinite(prior)
               ? prior + task.reference.log_likelihood(reference.observation, theta)
               : prior;
  };
  const Rng rng = Rng(one.seed).child("chain");
  const auto start = reference.samples.row(
      static_cast<Index>(one.seed % static_cast<std::uint64_t>(reference.samples.rows())));
  const Matrix<double> points = metropolis(log_density, {start.begin(), start.end()}, proposal,
                                           one.options.budget, rng.child("steps"))
                                    .points;
  // In random order, as C2ST wants them.
  Rng order = rng.child("order");
  const std::vector<std::int64_t> rows = order.permutation(points.rows());
  Matrix<double> mixed(points.rows(), points.cols());
  for (Index i = 0; i < points.rows(); ++i) {
    std::ranges::copy(points.row(rows[static_cast<std::size_t>(i)]), mixed.row(i).begin());
  }
  return projections(mixed, all_marginals(task.prior));
}

}  // namespace

std::string to_string(CosmologyMethod method) {
  return kNames[static_cast<std::size_t>(method)];
}

CosmologyMethod cosmology_method(const std::string& name) {
  const auto found = std::ranges::find(kNames, name);
  if (found != kNames.end()) return static_cast<CosmologyMethod>(found - kNames.begin());
  fail(ErrorKind::input, "method '{}': {}", name.substr(0, 60),
       suggestion(name, {kNames.begin(), kNames.end()}));
}

CosmologySamples cosmology_samples(const CosmologyCase& one, const BenchReference& reference,
                                   const std::filesystem::path& directory, Observer& observer) {
  return one.method == CosmologyMethod::mcmc ? samples_of_chain(one, reference)
                                             : samples_of_run(one, reference, directory, observer);
}

CosmologySamples reference_marginals(const BenchReference& reference, Index rows) {
  Matrix<double> some(std::min(rows, reference.samples.rows()), reference.samples.cols());
  for (Index i = 0; i < some.rows(); ++i) {
    std::ranges::copy(reference.samples.row(i), some.row(i).begin());
  }
  return projections(some, all_marginals(find_task(kTask).prior));
}

CosmologyRow score_cosmology(const CosmologyCase& one, const CosmologySamples& samples,
                             const CosmologySamples& exact, Observer& observer) {
  CosmologyRow row{.method = one.method,
                   .seed = one.seed,
                   .calls = one.options.budget,
                   .offset = {},
                   .width = {}};
  std::vector<SamplePair> pairs;
  const auto copy = [](const Matrix<double>& m) {
    Matrix<double> result(m.rows(), m.cols());
    for (Index i = 0; i < m.rows(); ++i) std::ranges::copy(m.row(i), result.row(i).begin());
    return result;
  };
  for (std::size_t k = 0; k < samples.marginals.size(); ++k) {
    pairs.push_back({copy(exact.samples[k]), copy(samples.samples[k])});
    if (samples.marginals[k].size() > 1) continue;
    const Moments a = moments_of(exact.samples[k]), b = moments_of(samples.samples[k]);
    const double sigma = std::sqrt(a.covariance(0, 0));
    row.offset.push_back((b.mean[0] - a.mean[0]) / sigma);
    row.width.push_back(std::sqrt(b.covariance(0, 0)) / sigma);
  }
  const Rng rng = Rng(one.seed).child("cosmology scores");
  const auto means = c2st_ddm(pairs, c2st(pairs, C2stOptions{}, rng, observer));
  row.c2st_1d = means.at(1);
  row.c2st_2d = means.at(2);
  return row;
}

}  // namespace hone
