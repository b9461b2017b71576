// The benchmark task of sbibm: 30 prey and 1 predator, seen ten times in 20 days with a lognormal
// error of 10 %. Rates have lognormal priors.

#include <algorithm>
#include <cmath>

#include "hone/tasks/builtin.h"
#include "hone/tasks/gaussian_noise.h"
#include "hone/tasks/populations.h"
#include "hone/tasks/reference.h"

namespace hone {
namespace {

constexpr const char* kName = "lotka_volterra";
constexpr int kTimes = 10;
constexpr double kInterval = 2.1;  // days
constexpr double kSigma = 0.1;

Prior make_prior() {
  const auto rate = [](const char* name, double mu) {
    return Parameter{name, std::string("$\\") + name + "$",
                     make_distribution({"lognormal", {{"mu", mu}, {"sigma", 0.5}}, {}})};
  };
  return Prior({rate("alpha", -0.125), rate("beta", -3), rate("gamma", -0.125), rate("delta", -3)});
}

// Log populations without noise: all of the prey, then all of the predator. sbibm keeps
// populations in [1e-10, 1e4] before it takes the logarithm.
std::vector<double> mean_log_data(std::span<const double> theta) {
  static const std::vector<double> times = equal_times(kTimes, kInterval);
  static const double lowest = std::log(1e-10);
  static const double highest = std::log(1e4);
  const Populations rates{
      .growth = theta[0], .predation = theta[1], .conversion = theta[3], .death = theta[2]};
  const std::vector<LogPopulations> path = solve(rates, {std::log(30.0), 0}, times);
  std::vector<double> mean(2 * kTimes);
  for (std::size_t i = 0; i < kTimes; ++i) {
    mean[i] = std::clamp(path[i].prey, lowest, highest);
    mean[kTimes + i] = std::clamp(path[i].predator, lowest, highest);
  }
  return mean;
}

double log_likelihood(std::span<const double> x, std::span<const double> theta) {
  require_observation(x, 2 * kTimes, kName);
  const std::vector<double> mean = mean_log_data(theta);
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double logarithm = std::log(x[k]);
    sum += log_normal_density(logarithm, mean[k], kSigma) - logarithm;
  }
  return std::isnan(sum) ? -HUGE_VAL : sum;  // x <= 0 has no density
}

}  // namespace

Task lotka_volterra_task() {
  return {
      .name = kName,
      .description = "Predator and prey, counted at ten times: an ordinary differential equation.",
      .prior = make_prior(),
      // Observation 1 of the benchmark.
      .truth = {0.6859157, 0.10761319, 0.88789904, 0.116794825},
      .observation = {31.783262, 1.1971166, 0.29703617, 0.71145046, 2.9415865,
                      11.482614, 36.09036,  0.46229604, 0.38081983, 0.9173736,
                      0.8910395, 27.039942, 4.356176,   0.78444487, 0.17100818,
                      0.1325878, 8.727008,  16.97251,   2.7902339,  0.47567415},
      .budget = 10000,
      .simulator =
          [] {
            return make_simulator(
                2 * kTimes, [](std::span<double> x, std::span<const double> theta, Rng noise) {
                  const std::vector<double> mean = mean_log_data(theta);
                  for (std::size_t k = 0; k < x.size(); ++k) {
                    x[k] = std::exp(mean[k] + kSigma * noise.normal());
                  }
                });
          },
      .reference = {log_likelihood,
                    samples_by_rejection(make_prior(), 2 * kTimes, kName, log_likelihood),
                    {}},
  };
}

}  // namespace hone
