// Problems whose data are a curve or an image with noise.

#include <algorithm>
#include <cmath>

#include "hone/bench/default_problem.h"

namespace hone {
namespace {

using Mean = std::function<void(std::span<double> mean, std::span<const double> theta)>;

// x = mean(theta) + sigma z
DefaultProblem with_normal_noise(DefaultProblem problem, const Mean& mean, double sigma) {
  problem.simulate = [=](std::span<double> x, std::span<const double> theta, Rng noise) {
    mean(x, theta);
    for (double& value : x) value += sigma * noise.normal();
  };
  problem.log_likelihood = [=](std::span<const double> x, std::span<const double> theta) {
    std::vector<double> expected(x.size());
    mean(expected, theta);
    return log_normal_sum(x, expected, sigma);
  };
  return problem;
}

constexpr double kPi = 3.141592653589793;

}  // namespace

DefaultProblem oscillator_problem() {
  constexpr Index kTimes = 300;
  const auto mean = [](std::span<double> x, std::span<const double> theta) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double t = 20.0 * static_cast<double>(i) / (kTimes - 1);
      x[i] = theta[2] * std::exp(-theta[1] * t) * std::cos(theta[0] * t + theta[3]);
    }
  };
  return with_normal_noise({.name = "oscillator",
                            .description = "a damped oscillation at 300 times",
                            .prior = prior_of({{"omega", "uniform", 0.5, 4},
                                               {"gamma", "loguniform", 0.01, 1},
                                               {"A", "uniform", 0.1, 3},
                                               {"phase", "uniform", -1.57, 1.57}}),
                            .marginals = all_marginals(4),
                            .budget = 5000,
                            .data_size = kTimes,
                            .data = one_block("signal", DataKind::series, {kTimes}),
                            .truth = {2.0, 0.12, 1.2, 0.4},
                            .simulate = {},
                            .log_likelihood = {}},
                           mean, 0.15);
}

DefaultProblem image_problem() {
  constexpr Index kSide = 32;
  const auto mean = [](std::span<double> x, std::span<const double> theta) {
    const double width = theta[2];
    for (Index i = 0; i < kSide; ++i) {
      for (Index j = 0; j < kSide; ++j) {
        const double dy = static_cast<double>(i) - theta[1], dx = static_cast<double>(j) - theta[0];
        x[static_cast<std::size_t>(i * kSide + j)] =
            theta[3] * std::exp(-(dx * dx + dy * dy) / (2 * width * width)) /
            (2 * kPi * width * width);
      }
    }
  };
  return with_normal_noise({.name = "image",
                            .description = "a blurred source in an image of 32 x 32 pixels",
                            .prior = prior_of({{"x", "uniform", 4, 28},
                                               {"y", "uniform", 4, 28},
                                               {"width", "uniform", 1, 6},
                                               {"flux", "loguniform", 10, 1000}}),
                            .marginals = all_marginals(4),
                            .budget = 5000,
                            .data_size = kSide * kSide,
                            .data = one_block("map", DataKind::image, {kSide, kSide}),
                            .truth = {12.3, 18.7, 2.5, 120},
                            .simulate = {},
                            .log_likelihood = {}},
                           mean, 1.0);
}

DefaultProblem banana_problem() {
  const auto mean = [](std::span<double> x, std::span<const double> theta) {
    std::ranges::fill(x, theta[0] * theta[1]);
  };
  return with_normal_noise(
      {.name = "banana",
       .description = "five measurements of a product a x b, of which only the product is known",
       .prior = prior_of({{"a", "uniform", 0.1, 3}, {"b", "uniform", 0.1, 3}}),
       .marginals = all_marginals(2),
       .budget = 3000,
       .data_size = 5,
       .truth = {0.8, 1.5},
       .simulate = {},
       .log_likelihood = {}},
      mean, 0.2);
}

DefaultProblem spectrum_problem() {
  constexpr Index kChannels = 200;
  const auto mean = [](std::span<double> x, std::span<const double> theta) {
    const double level = theta[0], slope = theta[1], centre = theta[2], width = theta[3];
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double e = (static_cast<double>(i) + 0.5) / kChannels;  // 0 .. 1
      const double z = (e - centre) / width, known = (e - 0.8) / 0.02;
      x[i] = level * std::pow(0.5 + e, -slope) + theta[4] * std::exp(-z * z / 2) +
             theta[5] * std::exp(-known * known / 2);
    }
  };
  DefaultProblem problem{.name = "spectrum",
                         .description = "counts in 200 channels: a continuum and two lines",
                         .prior = prior_of({{"level", "loguniform", 3, 100},
                                            {"slope", "uniform", 0, 3},
                                            {"centre", "uniform", 0.2, 0.6},
                                            {"width", "loguniform", 0.01, 0.1},
                                            {"line", "loguniform", 1, 100},
                                            {"known_line", "loguniform", 1, 100}}),
                         .marginals = all_marginals(6),
                         .budget = 10000,
                         .data_size = kChannels,
                         .data = one_block("counts", DataKind::series, {kChannels}),
                         .truth = {20, 1.2, 0.43, 0.03, 25, 10},
                         .simulate = {},
                         .log_likelihood = {}};
  problem.simulate = [mean](std::span<double> x, std::span<const double> theta, Rng noise) {
    mean(x, theta);
    for (double& value : x) value = static_cast<double>(noise.poisson(value));
  };
  problem.log_likelihood = [mean](std::span<const double> x, std::span<const double> theta) {
    std::vector<double> expected(x.size());
    mean(expected, theta);
    return log_poisson_sum(x, expected);
  };
  return problem;
}

}  // namespace hone
