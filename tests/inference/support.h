#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "files/test_files.h"
#include "hone/core/rng.h"
#include "hone/estimate/simulations.h"
#include "hone/inference/method.h"
#include "hone/inference/option_table.h"
#include "hone/posterior/marginal_posterior.h"
#include "hone/prior/prior.h"
#include "hone/prior/truncated_prior.h"
#include "hone/simulator/executor.h"
#include "hone/store/simulation_store.h"

namespace hone::test {

// HONE_TEST_SEED overrides the seed of the statistical tests.
inline Rng test_rng() {
  const char* seed = std::getenv("HONE_TEST_SEED");
  return Rng(seed == nullptr ? 11 : std::strtoull(seed, nullptr, 10));
}

inline double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

inline Prior same_prior(int dimensions, const DistributionSpec& spec) {
  std::vector<Parameter> parameters;
  for (int d = 0; d < dimensions; ++d) {
    parameters.push_back({fmt::format("p{}", d), "", make_distribution(spec)});
  }
  return Prior(std::move(parameters));
}

inline Prior uniform_prior(int dimensions, double low = 0, double high = 1) {
  return same_prior(dimensions, {"uniform", {{"low", low}, {"high", high}}, {}});
}

inline Prior normal_prior(int dimensions, double mean = 0, double sigma = 1) {
  return same_prior(dimensions, {"normal", {{"mean", mean}, {"sigma", sigma}}, {}});
}

// A posterior whose networks are these exact log ratios of theta.
using ThetaFunction = std::function<double(std::span<const double> theta)>;
inline MarginalPosterior exact_posterior(const TruncatedPrior& prior, const Marginal& marginal,
                                         const std::vector<ThetaFunction>& log_ratios) {
  return {prior, marginal, [=](MatrixView<const float> local) {
            Matrix<float> out(std::ssize(log_ratios), local.rows());
            std::vector<double> theta(marginal.size());
            for (Index i = 0; i < local.rows(); ++i) {
              for (std::size_t j = 0; j < theta.size(); ++j) {
                theta[j] = prior.to_theta(marginal[j], double(local(i, Index(j))));
              }
              for (std::size_t e = 0; e < log_ratios.size(); ++e) {
                out(Index(e), i) = static_cast<float>(log_ratios[e](theta));
              }
            }
            return out;
          }};
}

// log of a product of normals, up to a constant.
inline ThetaFunction gaussian(std::vector<double> mean, double sigma) {
  return [=](std::span<const double> theta) {
    double sum = 0;
    for (std::size_t j = 0; j < theta.size(); ++j) {
      const double z = (theta[j] - mean[j]) / sigma;
      sum -= 0.5 * z * z;
    }
    return sum;
  };
}

// sqrt(n) times the largest distance between the values' distribution and a cdf. Above 2.2 with a
// probability of 1e-4 if they follow it.
inline double kolmogorov(std::vector<double> values, const std::function<double(double)>& cdf) {
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double at = cdf(values[i]);
    worst = std::max({worst, std::abs(at - double(i) / n), std::abs(at - double(i + 1) / n)});
  }
  return worst * std::sqrt(n);
}

inline std::vector<double> column(const Matrix<double>& matrix, Index d) {
  std::vector<double> values;
  for (Index i = 0; i < matrix.rows(); ++i) values.push_back(matrix(i, d));
  return values;
}

inline double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

inline double variance_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size() - 1);
}

// A simulator with a store in a directory of its own.
class Laboratory {
 public:
  Laboratory(Prior prior, Index data_size, RowFunction function, ExecutorOptions options = {},
             DataDescription data = {})
      : prior_(std::move(prior)),
        simulator_(make_simulator(data_size, std::move(function))),
        executor_(make_thread_executor(*simulator_, options)),
        store_(
            SimulationStore::create(directory_.path() / "store", {.parameters = prior_.names(),
                                                                  .data_size = data_size,
                                                                  .precision = Precision::float32,
                                                                  .data = std::move(data)})) {}

  Simulations simulations(std::uint64_t seed = 3, const NoiseModel* noise = nullptr) {
    return {prior_, store_, *executor_, Rng(seed), noise};
  }
  SimulationStore& store() { return store_; }
  Executor& executor() { return *executor_; }
  const Prior& prior() const { return prior_; }

 private:
  TemporaryDirectory directory_;
  Prior prior_;
  std::unique_ptr<Simulator> simulator_;
  std::unique_ptr<Executor> executor_;
  SimulationStore store_;
};

// x = theta + sigma noise.
inline RowFunction additive_noise(double sigma) {
  return [sigma](std::span<double> x, std::span<const double> theta, Rng noise) {
    for (std::size_t d = 0; d < x.size(); ++d) x[d] = theta[d] + sigma * noise.normal();
  };
}

// Networks that learn a Gaussian in about a second.
inline InferenceOptions small_options(Index budget) {
  InferenceOptions options = preset("default");
  options.budget = budget;
  options.round_fraction = 0.3;
  options.round_minimum = 1;
  options.stop_rounds = 1;
  options.final_fraction = 0;
  options.ensemble = options.round_ensemble = 1;
  options.ensemble_rows = 0;
  options.network.hidden = 32;
  options.network.depth = 1;
  options.training.optimizer.learning_rate = 5e-3;
  options.training.max_epochs = 60;
  options.density.steps = 400;
  options.density.atoms = 4;
  return options;
}

// By the method that the options name.
inline InferenceResult infer(Simulations& simulations, std::span<const double> observation,
                             const std::vector<Marginal>& marginals,
                             const InferenceOptions& options, const Rng& rng,
                             const ThetaFunction& log_likelihood = nullptr) {
  return find_method(options.method)
      .infer({.simulations = simulations,
              .observation = observation,
              .marginals = marginals,
              .options = options,
              .rng = rng,
              .log_likelihood = log_likelihood});
}

}  // namespace hone::test
