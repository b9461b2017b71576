// Problems whose data are the history of a population, where the next value depends on the last.

#include <algorithm>
#include <cmath>

#include "hone/bench/default_problem.h"

namespace hone {
namespace {

std::vector<Marginal> singles_and_pair() {
  return {{0}, {1}, {0, 1}};
}

}  // namespace

// log N_(t+1) = log r + log N_t - N_t + sigma z: seen without error, so that the likelihood is a
// product of normal densities.
DefaultProblem ricker_problem() {
  const auto next = [](double log_n, std::span<const double> theta) {
    return theta[0] + log_n - std::exp(log_n);
  };
  return {.name = "ricker",
          .description = "50 years of a Ricker population, as logarithms",
          .prior = prior_of({{"log_r", "uniform", 0, 4}, {"sigma", "loguniform", 0.05, 1}}),
          .marginals = singles_and_pair(),
          .budget = 5000,
          .data_size = 50,
          .data = one_block("log_population", DataKind::series, {50}),
          .truth = {2.6, 0.3},
          .simulate =
              [next](std::span<double> x, std::span<const double> theta, Rng noise) {
                double log_n = 0;
                for (double& value : x) {
                  log_n = next(log_n, theta) + theta[1] * noise.normal();
                  value = log_n;
                }
              },
          .log_likelihood =
              [next](std::span<const double> x, std::span<const double> theta) {
                std::vector<double> mean;
                double log_n = 0;
                for (const double value : x) {
                  mean.push_back(next(log_n, theta));
                  log_n = value;
                }
                return log_normal_sum(x, mean, theta[1]);
              }};
}

namespace {

constexpr double kStep = 0.5;
constexpr int kCounts = 30;

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

// log P(n | before): survivors are binomial, newcomers Poisson, and n is their sum.
double log_transition(double n, double before, double survival, double newcomers) {
  double sum = 0;
  for (double k = 0; k <= std::min(n, before); ++k) {
    const double log_survivors =
        log_choose(before, k) + k * std::log(survival) + (before - k) * std::log1p(-survival);
    const double log_new = (n - k) * std::log(newcomers) - newcomers - std::lgamma(n - k + 1);
    sum += std::exp(log_survivors + log_new);
  }
  return std::log(std::max(sum, 1e-300));
}

// Production at the rate k, decay of each molecule at the rate g, event by event.
double gillespie(double n, double production, double decay, double time, Rng& noise) {
  while (true) {
    const double rate = production + decay * n;
    time += std::log(noise.uniform()) / rate;
    if (time < 0) return n;
    n += noise.uniform() * rate < production ? 1 : -1;
  }
}

}  // namespace

DefaultProblem reactions_problem() {
  return {
      .name = "reactions",
      .description = "molecules that are made and decay, counted at 30 times (Gillespie)",
      .prior = prior_of({{"production", "loguniform", 1, 50}, {"decay", "loguniform", 0.05, 2}}),
      .marginals = singles_and_pair(),
      .budget = 5000,
      .data_size = kCounts,
      .data = one_block("counts", DataKind::series, {kCounts}),
      .truth = {12, 0.4},
      .simulate =
          [](std::span<double> x, std::span<const double> theta, Rng noise) {
            double n = 0;
            for (double& value : x) {
              n = gillespie(n, theta[0], theta[1], kStep, noise);
              value = n;
            }
          },
      .log_likelihood =
          [](std::span<const double> x, std::span<const double> theta) {
            const double survival = std::exp(-theta[1] * kStep);
            const double newcomers = theta[0] / theta[1] * (1 - survival);
            double sum = 0, before = 0;
            for (const double n : x) {
              sum += log_transition(n, before, survival, newcomers);
              before = n;
            }
            return sum;
          }};
}

}  // namespace hone
