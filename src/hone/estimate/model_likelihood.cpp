#include <algorithm>
#include <cmath>

#include "hone/estimate/likelihood_estimator.h"
#include "hone/estimate/model_odds.h"
#include "hone/estimate/regression_likelihood.h"

namespace hone {
namespace {

Matrix<float> as_row(std::span<const double> x) {
  Matrix<float> row(1, std::ssize(x));
  std::ranges::transform(x, row.data(), [](double value) { return static_cast<float>(value); });
  return row;
}

// The posterior itself, or the first part of it, that is such a likelihood.
template <typename Likelihood>
const LikelihoodPosterior* find_likelihood(const AmortizedPosterior& posterior) {
  if (const auto* own = dynamic_cast<const Likelihood*>(&posterior)) return own;
  for (const SharedPosterior& part : posterior.parts()) {
    if (const auto* found = find_likelihood<Likelihood>(*part)) return found;
  }
  return nullptr;
}

// Over the networks, by weight: log of the mean evidence of each row, and the scatter of its logs.
struct Evidence {
  std::vector<double> log, scatter;
};
std::optional<Evidence> evidence_of(const LikelihoodPosterior& likelihood,
                                    MatrixView<const float> x) {
  const std::span<const double> weights = likelihood.weights(0);
  const auto logs = likelihood.log_evidence(x);
  if (!logs) return std::nullopt;
  Evidence result;
  std::vector<double> values(weights.size()), terms(weights.size());
  for (Index i = 0; i < x.rows(); ++i) {
    for (std::size_t e = 0; e < weights.size(); ++e) {
      values[e] = (*logs)(static_cast<Index>(e), i);
      terms[e] = values[e] + std::log(weights[e]);
    }
    const double peak = std::ranges::max(terms);
    double sum = 0;
    for (const double term : terms) sum += std::exp(term - peak);
    result.log.push_back(peak + std::log(sum));
    result.scatter.push_back(ensemble_scatter(values, weights));
  }
  return result;
}

// Some at a time: all draws of all of them are in memory at once.
std::optional<std::vector<double>> log_evidences(const LikelihoodPosterior& likelihood,
                                                 MatrixView<const float> x) {
  constexpr Index kRows = 64;
  std::vector<double> result;
  for (Index begin = 0; begin < x.rows(); begin += kRows) {
    const auto part = evidence_of(likelihood, x.rows(begin, std::min(kRows, x.rows() - begin)));
    if (!part) return std::nullopt;
    result.insert(result.end(), part->log.begin(), part->log.end());
  }
  return result;
}

std::optional<ModelOdds> odds_of(std::string name,
                                 std::span<const LikelihoodPosterior* const> models,
                                 const HeldOutModels& held_out,
                                 std::span<const double> observation) {
  const Index n = held_out.x.rows(), count = std::ssize(models);
  ModelOdds odds{std::move(name), Matrix<double>(n, count), {}, Matrix<double>(count, count)};
  std::vector<double> scatter;
  for (Index m = 0; m < count; ++m) {
    const LikelihoodPosterior* likelihood = models[static_cast<std::size_t>(m)];
    if (likelihood == nullptr) return std::nullopt;
    const auto logs = log_evidences(*likelihood, held_out.x);
    if (!logs) return std::nullopt;
    for (Index i = 0; i < n; ++i) odds.held_out(i, m) = (*logs)[static_cast<std::size_t>(i)];
    const Evidence observed = *evidence_of(*likelihood, as_row(observation));
    odds.observed.push_back(observed.log[0]);
    scatter.push_back(observed.scatter[0]);
  }
  for (Index a = 0; a < count; ++a) {
    for (Index b = 0; b < count; ++b) {
      odds.scatter(a, b) = a == b ? 0
                                  : std::hypot(scatter[static_cast<std::size_t>(a)],
                                               scatter[static_cast<std::size_t>(b)]);
    }
  }
  return odds;
}

}  // namespace

std::vector<ModelOdds> likelihood_odds(std::span<const SharedPosterior> models,
                                       const HeldOutModels& held_out,
                                       std::span<const double> observation) {
  std::vector<const LikelihoodPosterior*> networks, regressions;
  for (const SharedPosterior& model : models) {
    networks.push_back(find_likelihood<LikelihoodEstimator>(*model));
    regressions.push_back(find_likelihood<RegressionLikelihood>(*model));
  }
  std::vector<ModelOdds> ways;
  if (auto odds = odds_of("likelihood", networks, held_out, observation)) {
    ways.push_back(std::move(*odds));
  }
  if (auto odds = odds_of("regression", regressions, held_out, observation)) {
    ways.push_back(std::move(*odds));
  }
  return ways;
}

}  // namespace hone
