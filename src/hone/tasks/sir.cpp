// The benchmark task of sbibm: an epidemic among a million, one of them infected on day 0. On ten
// days, 17 apart, 1000 people are tested; the data are how many of them are infected.

#include <algorithm>
#include <cmath>

#include "hone/tasks/builtin.h"
#include "hone/tasks/gaussian_noise.h"
#include "hone/tasks/populations.h"
#include "hone/tasks/reference.h"

namespace hone {
namespace {

constexpr const char* kName = "sir";
constexpr int kTimes = 10;
constexpr double kInterval = 17;  // days
constexpr double kPopulation = 1e6;
constexpr int kTested = 1000;

Prior make_prior() {
  return Prior({{"beta", "$\\beta$",
                 make_distribution({"lognormal", {{"mu", std::log(0.4)}, {"sigma", 0.5}}, {}})},
                {"gamma", "$\\gamma$",
                 make_distribution({"lognormal", {{"mu", std::log(0.125)}, {"sigma", 0.2}}, {}})}});
}

// Fraction of infected on every day of tests: s' = -beta s i, i' = beta s i - gamma i.
std::vector<double> infected(std::span<const double> theta) {
  static const std::vector<double> times = equal_times(kTimes, kInterval);
  const Populations rates{
      .growth = 0, .predation = theta[0], .conversion = theta[0], .death = theta[1]};
  const LogPopulations start{std::log1p(-1 / kPopulation), std::log(1 / kPopulation)};
  std::vector<double> fractions;
  for (const LogPopulations& day : solve(rates, start, times)) {
    fractions.push_back(std::min(1.0, std::exp(day.predator)));
  }
  return fractions;
}

// Inversion from 0 upwards. The smaller of p and 1 - p leaves (1 - p)^1000 > 1e-302.
int draw_binomial(double p, Rng& rng) {
  const bool swapped = p > 0.5;
  const double q = swapped ? 1 - p : p;
  const double odds = q / (1 - q);
  double probability = std::exp(kTested * std::log1p(-q));
  double u = rng.uniform();
  int count = 0;
  while (u > probability && count < kTested) {
    u -= probability;
    ++count;
    probability *= odds * (kTested - count + 1) / count;
  }
  return swapped ? kTested - count : count;
}

double log_binomial(double count, double p) {
  const bool possible = count >= 0 && count <= kTested && count == std::floor(count);
  if (!possible) return -HUGE_VAL;
  const double ways =
      std::lgamma(kTested + 1.0) - std::lgamma(count + 1) - std::lgamma(kTested - count + 1);
  const double hits = count > 0 ? count * std::log(p) : 0;
  const double misses = count < kTested ? (kTested - count) * std::log1p(-p) : 0;
  return ways + hits + misses;
}

double log_likelihood(std::span<const double> x, std::span<const double> theta) {
  require_observation(x, kTimes, kName);
  const std::vector<double> fractions = infected(theta);
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += log_binomial(x[k], fractions[k]);
  return sum;
}

}  // namespace

Task sir_task() {
  return {
      .name = kName,
      .description = "An epidemic, tested for on ten days: an ordinary differential equation.",
      .prior = make_prior(),
      // Observation 1 of the benchmark.
      .truth = {0.61479264, 0.19172086},
      .observation = {0, 1, 352, 40, 3, 0, 0, 0, 0, 0},
      .budget = 10000,
      .simulator =
          [] {
            return make_simulator(
                kTimes, [](std::span<double> x, std::span<const double> theta, Rng noise) {
                  const std::vector<double> fractions = infected(theta);
                  for (std::size_t k = 0; k < x.size(); ++k) {
                    x[k] = draw_binomial(fractions[k], noise);
                  }
                });
          },
      .reference = {log_likelihood,
                    samples_by_rejection(make_prior(), kTimes, kName, log_likelihood),
                    {}},
  };
}

}  // namespace hone
