#include "hone/check/model_comparison.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "hone/check/misspecification.h"
#include "hone/check/noise_evidence.h"
#include "hone/core/error.h"
#include "hone/estimate/model_odds.h"

namespace hone {
namespace {

constexpr Index kMostHeldOut = 300;  // of each model
constexpr double kPrecise = 0.3;     // error of a log Bayes factor that needs no other way
constexpr double kLargeError = 1;    // of a log Bayes factor, a factor of 2.7

// Directories, by their last part where that tells them apart.
std::vector<std::string> names_of(std::span<const ModelRun> runs) {
  std::vector<std::string> names;
  for (const ModelRun& one : runs) names.push_back(one.run.label());
  const std::set<std::string> different(names.begin(), names.end());
  if (different.size() == names.size()) return names;
  std::ranges::transform(runs, names.begin(),
                         [](const ModelRun& one) { return one.run.path().string(); });
  return names;
}

// Is the observation a typical draw of the model?
CheckResult typicality_in(const Dataset& data, const Matrix<float>& draws, const RunSpec& spec) {
  constexpr std::size_t kReference = 4000;
  const auto rows = std::span(data.training).first(std::min(kReference, data.training.size()));
  Matrix<float> reference(std::ssize(rows), data.x->cols()), observed(1, data.x->cols());
  data.x->read(reference, rows);
  std::ranges::transform(spec.observation, observed.data(),
                         [](double value) { return static_cast<float>(value); });
  return typicality_result(measure_typicality(
      {reference, draws, observed.row(0), reference, draws, spec.observation, spec.data}));
}

// ---- the answer

std::vector<double> differences(std::span<const double> values, std::size_t from) {
  std::vector<double> result;
  for (const double value : values) result.push_back(value - values[from]);
  return result;
}

Index beyond(const PooledOdds& pool, std::span<const int> model, std::size_t of, std::size_t best) {
  const auto log_odds = [&](std::span<const double> row) { return row[best] - row[of]; };
  const double observed = log_odds(pool.odds.observed);
  Index count = 0;
  for (Index i = 0; i < pool.odds.held_out.rows(); ++i) {
    const bool own = model[static_cast<std::size_t>(i)] == static_cast<int>(of);
    count += own && log_odds(pool.odds.held_out.row(i)) >= observed ? 1 : 0;
  }
  return count;
}

void judge(ModelComparison& found) {
  found.status = found.calibration.status;
  found.reason = found.calibration.reason;
  if (found.status == Status::fail) return;
  if (found.known && found.status == Status::unclear) {
    found.status = Status::pass;
    found.reason = "the likelihood is known from the noise that was declared";
  }
  const ComparedModel& best = found.models[found.best];
  if (found.typicality.status != Status::pass) {
    found.status = worse(found.status, Status::caution);
    found.reason = fmt::format(
        "the observation is unlike simulations of every model, the best of which is {}: {}",
        best.name, found.typicality.reason);
    return;
  }
  const auto uncertain = std::ranges::find_if(
      found.models, [](const ComparedModel& one) { return one.error > kLargeError; });
  if (uncertain != found.models.end()) {
    found.status = worse(found.status, Status::caution);
    found.reason = fmt::format(
        "the networks disagree about {}: the log of its Bayes factor is known to +- {:.1f} only",
        uncertain->name, uncertain->error);
  }
}

void answer(ModelComparison& found, const std::vector<ModelData>& models, const PooledOdds& pool,
            std::span<const double> log_prior) {
  const Index count = std::ssize(found.models);
  std::vector<double> log_evidence(pool.odds.observed);
  for (std::size_t m = 0; m < log_evidence.size(); ++m)
    log_evidence[m] += models[m].facts.log_factor;
  found.best =
      static_cast<std::size_t>(std::ranges::max_element(log_evidence) - log_evidence.begin());
  found.log_bayes_factors = Matrix<double>(count, count);
  found.errors = Matrix<double>(count, count);
  for (Index a = 0; a < count; ++a) {
    for (Index b = 0; b < count; ++b) {
      const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
      found.log_bayes_factors(a, b) = log_evidence[i] - log_evidence[j];
      if (a == b) continue;
      found.errors(a, b) = std::sqrt(std::pow(pool.odds.scatter(a, b), 2) +
                                     models[i].facts.variance + models[j].facts.variance);
    }
  }
  const std::vector<double> log_probability = log_probabilities(log_evidence, log_prior);
  for (std::size_t m = 0; m < found.models.size(); ++m) {
    ComparedModel& model = found.models[m];
    const auto row = static_cast<Index>(m), best = static_cast<Index>(found.best);
    model.region = models[m].facts;
    model.prior = std::exp(log_prior[m]);
    model.probability = std::exp(log_probability[m]);
    model.log_bayes_factor = found.log_bayes_factors(row, best);
    model.error = found.errors(row, best);
  }
}

std::vector<double> log_priors(const ModelComparisonOptions& options, std::size_t models) {
  std::vector<double> prior = options.prior;
  if (prior.empty()) prior.assign(models, 1.0);
  const double sum = std::accumulate(prior.begin(), prior.end(), 0.0);
  for (double& one : prior) one = std::log(one / sum);
  return prior;
}

}  // namespace

void ModelComparisonOptions::validate(std::size_t models) const {
  if (prior.empty()) return;
  if (prior.size() != models) {
    fail_place("prior",
               fmt::format("it has {} numbers, and there are {} models", prior.size(), models));
  }
  for (const double one : prior) {
    if (!(one > 0) || !std::isfinite(one)) fail_value("prior", one, "must be greater than 0");
  }
}

namespace {

// By the density of declared noise; nullopt where it is not known of every model.
std::optional<ModelOdds> known_odds(std::span<const ModelRun> runs,
                                    const std::vector<ModelData>& models,
                                    const HeldOutModels& held_out) {
  std::vector<NoiseEvidence> noise;
  for (std::size_t m = 0; m < runs.size(); ++m) {
    auto one = noise_evidence(runs[m].run, models[m].rows());
    if (!one) return std::nullopt;
    noise.push_back(std::move(*one));
  }
  return noise_odds(noise, held_out, runs[0].run.spec().observation);
}

bool is_precise(const ModelOdds& odds) {
  const Matrix<double>& scatter = odds.scatter;
  return std::all_of(scatter.data(), scatter.data() + scatter.rows() * scatter.cols(),
                     [](double error) { return error <= kPrecise; });
}

// Every way that these models allow; where the likelihood is known, and enough simulations count,
// nothing has to be learned.
std::vector<ModelOdds> all_ways(std::span<const ModelRun> runs,
                                const std::vector<ModelData>& models, const HeldOutModels& held_out,
                                Observer& observer) {
  const RunSpec& spec = runs[0].run.spec();
  std::vector<ModelOdds> ways;
  if (auto known = known_odds(runs, models, held_out)) {
    ways.push_back(std::move(*known));
    if (is_precise(ways[0])) return ways;
  }
  std::vector<const Dataset*> samples;
  std::vector<SharedPosterior> posteriors;
  for (const ModelData& one : models) {
    samples.push_back(&one.rows());
    posteriors.push_back(one.posterior);
  }
  ways.push_back(classify_models(samples, held_out, spec.observation,
                                 Rng(spec.seed).child("models"), observer));
  std::ranges::move(likelihood_odds(posteriors, held_out, spec.observation),
                    std::back_inserter(ways));
  return ways;
}

void describe_ways(ModelComparison& found, const std::vector<ModelOdds>& ways,
                   const PooledOdds& pool) {
  for (std::size_t w = 0; w < ways.size(); ++w) {
    std::vector<double> own = ways[w].observed;
    for (std::size_t m = 0; m < own.size(); ++m) own[m] += found.models[m].region.log_factor;
    found.ways.push_back(
        {ways[w].name, pool.shares[w], pool.scores[w], differences(own, found.best)});
  }
}

}  // namespace

ModelComparison compare_models(std::span<const ModelRun> runs,
                               const ModelComparisonOptions& options, Observer& observer) {
  options.validate(runs.size());
  check_comparable(runs);
  std::vector<ModelData> models;
  for (const ModelRun& run : runs) models.push_back(read_model(run));
  std::vector<const Dataset*> samples;
  for (const ModelData& one : models) samples.push_back(&one.rows());

  const HeldOutModels held_out = held_out_models(samples, kMostHeldOut);
  observer.context_changed("models");
  const std::vector<ModelOdds> ways = all_ways(runs, models, held_out, observer);
  const PooledOdds pool = pool_odds(ways, held_out.model);
  ModelComparison found;
  found.known = ways.size() == 1 && ways[0].name == kNoiseWay;
  for (const std::string& name : names_of(runs)) found.models.push_back({.name = name});
  answer(found, models, pool, log_priors(options, runs.size()));
  describe_ways(found, ways, pool);
  for (std::size_t m = 0; m < runs.size(); ++m) {
    found.models[m].held_out = std::ranges::count(held_out.model, static_cast<int>(m));
    found.models[m].beyond = beyond(pool, held_out.model, m, found.best);
  }
  found.calibration = test_reliability(pool.odds.held_out, held_out.model);
  const auto best = std::span(samples).subspan(found.best, 1);
  found.typicality =
      typicality_in(*best[0], held_out_models(best, kMostHeldOut).x, runs[0].run.spec());
  judge(found);
  return found;
}

}  // namespace hone
