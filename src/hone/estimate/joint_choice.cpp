#include "hone/estimate/joint_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/core/error.h"
#include "hone/estimate/likelihood_posterior.h"

namespace hone {
namespace {

// Of a question, the truth included. Drawing them takes most of the time of a comparison.
constexpr Index kPoints = 64;
constexpr double kLeastProbability = 1e-30;

// The truth of every simulation, and after it draws of the density given its data: local
// coordinates (n points, parameters).
Matrix<float> questions(const AmortizedPosterior& density, const HeldOut& draws, const Rng& rng) {
  const TruncatedPrior& prior = density.prior();
  Matrix<float> all(draws.x.rows() * kPoints, draws.local.cols());
  Matrix<double> local(kPoints - 1, draws.local.cols());
  for (Index i = 0; i < draws.x.rows(); ++i) {
    std::ranges::copy(draws.local.row(i), all.row(i * kPoints).begin());
    const std::vector<double> x(draws.x.row(i).begin(), draws.x.row(i).end());
    const Rng own = rng.child("points", static_cast<std::uint64_t>(i));
    prior.to_local(local, density.joint_samples(x, kPoints - 1, own).value());
    std::transform(local.data(), local.data() + local.rows() * local.cols(),
                   all.row(i * kPoints + 1).data(),
                   [](double value) { return static_cast<float>(value); });
  }
  return all;
}

std::vector<Matrix<float>> log_densities_of(const AmortizedPosterior& posterior,
                                            const HeldOut& draws, const Matrix<float>& local) {
  return posterior.log_density_blocks(posterior.find(joint(posterior.prior().dimensions())),
                                      posterior.features(draws.x.view()), local);
}

// (n, points): log of the average of normalised networks.
Matrix<double> log_average(const std::vector<Matrix<float>>& networks,
                           std::span<const double> weights) {
  Matrix<double> result(networks.at(0).rows(), networks[0].cols());
  for (Index k = 0; k < result.rows() * result.cols(); ++k) {
    double peak = -std::numeric_limits<double>::infinity(), sum = 0;
    for (const Matrix<float>& one : networks) {
      peak = std::max(peak, static_cast<double>(one.data()[k]));
    }
    for (std::size_t e = 0; e < networks.size(); ++e) {
      sum += weights[e] * std::exp(static_cast<double>(networks[e].data()[k]) - peak);
    }
    result.data()[k] = peak + std::log(sum);
  }
  return result;
}

// Probability that the first of the points is the truth, whose weights are exp(log p - log q).
double probability_of_first(std::span<const float> log_p, std::span<const double> log_q) {
  std::vector<double> logs;
  for (std::size_t j = 0; j < log_p.size(); ++j) {
    logs.push_back(static_cast<double>(log_p[j]) - log_q[j]);
  }
  const double peak = std::ranges::max(logs);
  double sum = 0;
  for (const double one : logs) sum += std::exp(one - peak);
  return std::exp(logs[0] - peak) / sum;
}

}  // namespace

std::vector<SharedPosterior> joint_likelihoods(const AmortizedPosterior& posterior) {
  if (const auto* one = dynamic_cast<const LikelihoodPosterior*>(&posterior)) {
    return {one->of_all_parameters()};
  }
  std::vector<SharedPosterior> result;
  for (const SharedPosterior& part : posterior.parts()) {
    std::ranges::move(joint_likelihoods(*part), std::back_inserter(result));
  }
  return result;
}

Gain gain_over(const AmortizedPosterior& density, const AmortizedPosterior& other,
               const HeldOut& draws, const Rng& rng) {
  const Index n = draws.x.rows();
  HONE_ASSERT(n > 1);
  const Matrix<float> points = questions(density, draws, rng);
  const Matrix<double> log_q =
      log_average(log_densities_of(density, draws, points), density.weights(0));
  const auto networks = log_densities_of(other, draws, points);
  const auto weights = other.weights(other.find(joint(other.prior().dimensions())));
  double sum = 0, squares = 0;
  for (Index i = 0; i < n; ++i) {
    double probability = 0;  // each network has a constant of its own
    for (std::size_t e = 0; e < networks.size(); ++e) {
      if (weights[e] == 0) continue;
      probability += weights[e] * probability_of_first(networks[e].row(i), log_q.row(i));
    }
    const bool possible = probability > kLeastProbability;  // NaN is not
    const double gain = std::log(kPoints * (possible ? probability : kLeastProbability));
    sum += gain;
    squares += gain * gain;
  }
  const double count = static_cast<double>(n), mean = sum / count;
  const double variance = std::max(0.0, squares / count - mean * mean);
  return {mean, std::sqrt(variance / (count - 1))};
}

}  // namespace hone
