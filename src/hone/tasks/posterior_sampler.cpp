#include "hone/tasks/posterior_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/prior/standard_normal.h"

namespace hone {
namespace {

constexpr double kPriorShare = 0.1;
constexpr double kSmallestEfficiency = 0.1;  // of a round's weights: limits the rise of the power
constexpr int kMostRounds = 100;
constexpr int kLastRounds = 3;  // at power 1
constexpr double kBoundMargin = 1.5;
constexpr Index kFittedPoints = 2000;

// Relative to the largest. All -infinity: all 0.
std::vector<double> weights(std::span<const double> log_weights) {
  const double largest = *std::max_element(log_weights.begin(), log_weights.end());
  std::vector<double> result;
  for (const double value : log_weights) {
    result.push_back(std::isfinite(value) ? std::exp(value - largest) : 0);
  }
  return result;
}

// (sum w)^2 / (n sum w^2)
double efficiency_of(std::span<const double> log_weights) {
  double sum = 0;
  double squares = 0;
  for (const double weight : weights(log_weights)) {
    sum += weight;
    squares += weight * weight;
  }
  return sum > 0 ? sum * sum / squares / static_cast<double>(log_weights.size()) : 0;
}

std::vector<double> tempered(std::span<const double> prior, std::span<const double> likelihood,
                             double power) {
  std::vector<double> result;
  for (std::size_t i = 0; i < prior.size(); ++i) {
    result.push_back(std::isfinite(likelihood[i]) ? prior[i] + power * likelihood[i]
                                                  : -std::numeric_limits<double>::infinity());
  }
  return result;
}

// The largest power up to 1 for which the weights are worth enough, by bisection.
double next_power(std::span<const double> prior, std::span<const double> likelihood) {
  const auto enough = [&](double power) {
    return efficiency_of(tempered(prior, likelihood, power)) >= kSmallestEfficiency;
  };
  if (enough(1)) return 1;
  double low = 0;
  double high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (enough(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

PosteriorSampler::PosteriorSampler(Prior prior, LogLikelihood log_likelihood, const Rng& rng,
                                   PosteriorSamplerOptions options)
    : prior_(std::move(prior)), likelihood_(std::move(log_likelihood)), options_(options) {
  int last_rounds = 0;
  for (int i = 0; i < kMostRounds; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    const Round round = sample_round(rng.child("round", index));
    const std::vector<double> ratios =
        tempered(round.log_prior_over_proposal, round.log_likelihood, 1);
    const double power = next_power(round.log_prior_over_proposal, round.log_likelihood);
    if (power == 1 && last_rounds++ == kLastRounds) {
      log_bound_ = *std::max_element(ratios.begin(), ratios.end()) + std::log(kBoundMargin);
      efficiency_ = efficiency_of(ratios);
      return;
    }
    fit(round, power, rng.child("fit", index));
  }
  fail(ErrorKind::numerical, "the posterior was not found in {} rounds: {}", kMostRounds,
       "the observation is far from any simulation");
}

void PosteriorSampler::propose(std::span<double> z, Rng& rng) const {
  if (mixture_ && rng.uniform() >= kPriorShare) {
    mixture_->draw(z, rng);
  } else {
    for (double& value : z) value = rng.normal();
  }
}

double PosteriorSampler::log_prior_over_proposal(std::span<const double> z) const {
  if (!mixture_) return 0;
  double log_prior = 0;
  for (const double value : z) log_prior -= value * value / 2 + kLogSqrtTwoPi;
  const double log_ratio = mixture_->log_density(z) - log_prior;
  return -std::log(kPriorShare + (1 - kPriorShare) * std::exp(log_ratio));
}

double PosteriorSampler::log_likelihood(std::span<const double> z) const {
  std::vector<double> theta(z.size());
  to_theta(theta, z);
  try {
    return likelihood_(theta);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::numerical) throw;
    return -std::numeric_limits<double>::infinity();
  }
}

void PosteriorSampler::to_theta(std::span<double> theta, std::span<const double> z) const {
  for (std::size_t d = 0; d < z.size(); ++d) {
    const Distribution& axis = prior_[static_cast<int>(d)];
    theta[d] = z[d] < 0 ? axis.quantile(standard_normal_cdf(z[d]))
                        : axis.quantile_complement(standard_normal_cdf(-z[d]));
  }
}

PosteriorSampler::Round PosteriorSampler::sample_round(const Rng& rng) const {
  const auto count = static_cast<std::size_t>(options_.draws);
  Round round{Matrix<double>(options_.draws, prior_.dimensions()), std::vector<double>(count),
              std::vector<double>(count)};
  parallel_for(options_.draws, [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    Rng row = rng.child("row", k);
    propose(round.z.row(i), row);
    round.log_prior_over_proposal[k] = log_prior_over_proposal(round.z.row(i));
    round.log_likelihood[k] = log_likelihood(round.z.row(i));
  });
  return round;
}

// Points are drawn again in proportion to their weights, at equal distances of the cumulative sum.
void PosteriorSampler::fit(const Round& round, double power, const Rng& rng) {
  const std::vector<double> weight =
      weights(tempered(round.log_prior_over_proposal, round.log_likelihood, power));
  const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
  if (!(total > 0)) {
    fail(ErrorKind::numerical,
         "no draw from the prior has any likelihood: the observation is far from any simulation");
  }
  Rng offset = rng.child("offset");
  const double start = offset.uniform();
  Matrix<double> points(kFittedPoints, round.z.cols());
  double cumulative = weight[0];
  std::size_t source = 0;
  for (Index i = 0; i < kFittedPoints; ++i) {
    const double place = (start + static_cast<double>(i)) / kFittedPoints * total;
    while (cumulative < place && source + 1 < weight.size()) cumulative += weight[++source];
    std::ranges::copy(round.z.row(static_cast<Index>(source)), points.row(i).begin());
  }
  mixture_ = StudentMixture::fit(points, options_.components, rng.child("mixture"));
}

void PosteriorSampler::draw(std::span<double> theta, Rng& rng) const {
  constexpr int kTries = 1000000;
  std::vector<double> z(theta.size());
  for (int i = 0; i < kTries; ++i) {
    propose(z, rng);
    const double log_ratio = log_prior_over_proposal(z) + log_likelihood(z);
    if (std::log(rng.uniform()) >= log_ratio - log_bound_) continue;
    to_theta(theta, z);
    return;
  }
  fail(ErrorKind::numerical, "no posterior sample in {} tries", kTries);
}

}  // namespace hone
