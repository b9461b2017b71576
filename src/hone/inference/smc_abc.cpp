#include "hone/inference/smc_abc.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hone/core/cholesky.h"
#include "hone/core/error.h"
#include "hone/inference/abc.h"
#include "hone/posterior/weighted_pick.h"

namespace hone {
namespace {

// log of the prior's density in local coordinates: 0 but for correlated parameters.
double log_prior(const TruncatedPrior& prior, std::span<const double> local) {
  if (prior.prior().copula() == nullptr) return 0;
  std::vector<double> theta(local.size());
  double product = 0;
  for (std::size_t d = 0; d < local.size(); ++d) {
    theta[d] = prior.to_theta(static_cast<int>(d), local[d]);
    product += prior.prior()[static_cast<int>(d)].log_density(theta[d]);
  }
  return prior.log_density(theta) - product;
}

// Normal steps around the members of a population, with a part of its covariance. What leaves the
// prior is drawn again, member and all: q(theta) ~ sum_k w_k N(theta - theta_k) inside.
class Perturbation {
 public:
  Perturbation(const AbcSamples& population, double covariance_scale)
      : population_(population), pick_(population.weights) {
    const Index n = population.rows(), dimensions = population.local.cols();
    std::vector<double> mean(static_cast<std::size_t>(dimensions), 0.0);
    for (Index i = 0; i < n; ++i) {
      for (Index d = 0; d < dimensions; ++d) {
        mean[static_cast<std::size_t>(d)] += weight(i) * population.local(i, d);
      }
    }
    Matrix<double> covariance(dimensions, dimensions);
    for (Index i = 0; i < n; ++i) {
      for (Index d = 0; d < dimensions; ++d) {
        for (Index k = 0; k < dimensions; ++k) {
          covariance(d, k) += covariance_scale * weight(i) *
                              (population.local(i, d) - mean[static_cast<std::size_t>(d)]) *
                              (population.local(i, k) - mean[static_cast<std::size_t>(k)]);
        }
      }
    }
    // A population of few members spans less than all directions.
    for (Index d = 0; d < dimensions; ++d) covariance(d, d) = covariance(d, d) * (1 + 1e-6) + 1e-14;
    lower_ = cholesky(covariance);
  }

  void draw(std::span<double> local, Rng rng) const {
    constexpr int kTries = 10000;
    std::vector<double> z(local.size());
    for (int attempt = 0; attempt < kTries; ++attempt) {
      const Index member = pick_(rng);
      for (double& value : z) value = rng.normal();
      bool inside = true;
      for (Index d = 0; d < std::ssize(local); ++d) {
        double& value = local[static_cast<std::size_t>(d)];
        value = population_.local(member, d);
        for (Index k = 0; k <= d; ++k) value += lower_(d, k) * z[static_cast<std::size_t>(k)];
        inside = inside && value > 1e-9 && value < 1 - 1e-9;
      }
      if (inside) return;
    }
    fail(ErrorKind::numerical, "SMC-ABC finds no parameters inside the prior near its population");
  }

  // log q up to a constant.
  double log_density(std::span<const double> local) const {
    std::vector<double> off(local.size()), exponents;
    for (Index i = 0; i < population_.rows(); ++i) {
      for (std::size_t d = 0; d < off.size(); ++d) {
        off[d] = local[d] - population_.local(i, static_cast<Index>(d));
      }
      solve_lower(off, lower_, off);
      const double square = std::inner_product(off.begin(), off.end(), off.begin(), 0.0);
      exponents.push_back(std::log(weight(i)) - 0.5 * square);
    }
    const double peak = *std::ranges::max_element(exponents);
    double sum = 0;
    for (const double value : exponents) sum += std::exp(value - peak);
    return peak + std::log(sum);
  }

 private:
  double weight(Index i) const {
    return population_.weights[static_cast<std::size_t>(i)] / pick_.total();
  }

  const AbcSamples& population_;
  WeightedPick pick_;
  Matrix<double> lower_;
};

AbcSamples joined(const AbcSamples& a, const AbcSamples& b) {
  AbcSamples result{Matrix<double>(a.rows() + b.rows(), a.local.cols()),
                    Matrix<double>(a.rows() + b.rows(), a.x.cols()), a.distance, a.weights};
  std::copy_n(a.local.data(), a.rows() * a.local.cols(), result.local.data());
  std::copy_n(b.local.data(), b.rows() * b.local.cols(), result.local.row(a.rows()).data());
  std::copy_n(a.x.data(), a.rows() * a.x.cols(), result.x.data());
  std::copy_n(b.x.data(), b.rows() * b.x.cols(), result.x.row(a.rows()).data());
  result.distance.insert(result.distance.end(), b.distance.begin(), b.distance.end());
  result.weights.insert(result.weights.end(), b.weights.begin(), b.weights.end());
  return result;
}

void normalize(AbcSamples& samples) {
  const double sum = std::accumulate(samples.weights.begin(), samples.weights.end(), 0.0);
  for (double& weight : samples.weights) weight /= sum;
}

class Populations {
 public:
  explicit Populations(const InferenceRequest& request)
      : request_(request),
        options_(request.options),
        whole_(Region::whole(request.simulations.prior().dimensions())),
        prior_(request.simulations.prior(), whole_) {
    const Index budget = options_.budget;
    size_ = std::clamp<Index>(
        std::llround(options_.abc.population_fraction * static_cast<double>(budget)),
        std::min<Index>(100, budget / 5), budget / 5);
  }

  // Until the budget is spent.
  AbcSamples run() {
    AbcSamples population = first();
    for (int number = 2; left() > 0; ++number) population = next(population, number);
    return population;
  }
  const std::vector<double>& scale() const { return scale_; }

 private:
  Index left() const { return options_.budget - request_.simulations.issued(); }

  // The nearest of five times as many simulations from the prior.
  AbcSamples first() {
    Simulations& simulations = request_.simulations;
    const Index wanted = std::max<Index>(5 * size_ - simulations.issued(), 0);
    request_.observer.context_changed("population 1");
    simulations.simulate(whole_, 1, std::min(wanted, left()), request_.observer);
    const Dataset data = simulations.inside(whole_, options_.validation_fraction);
    scale_ = column_scale(data, options_.abc);
    const AbcSamples all = measure(data, request_.observation, scale_);
    if (all.rows() < 2) fail(ErrorKind::numerical, "fewer than 2 simulations succeeded");
    AbcSamples population = selected(all, nearest(all, size_));
    normalize(population);
    return population;
  }

  // Those nearer than most of the last population; where the budget ends before there are enough,
  // the nearest of the last population fill up.
  AbcSamples next(const AbcSamples& last, int number) {
    const std::vector<Index> order = nearest(last, last.rows());
    const auto rank = static_cast<std::size_t>(
        std::clamp<double>(options_.abc.quantile * static_cast<double>(last.rows()), 1,
                           static_cast<double>(last.rows())) -
        1);
    const double epsilon = last.distance[static_cast<std::size_t>(order[rank])];
    const Perturbation around(last, options_.abc.kernel_scale);
    request_.observer.context_changed(
        fmt::format("population {}, distance below {:.3g}", number, epsilon));
    AbcSamples accepted = selected(last, {});
    while (accepted.rows() < size_ && left() > 0) {
      stop_if_requested(request_.observer);
      accepted = joined(accepted, simulate(around, epsilon));
    }
    request_.observer.log(LogLevel::info,
                          fmt::format("population {}: {} simulations with a distance below {:.3g}",
                                      number, accepted.rows(), epsilon));
    const Index missing = size_ - accepted.rows();
    if (accepted.rows() > 0) normalize(accepted);
    if (missing <= 0) return accepted;
    std::vector<Index> fill(order.begin(),
                            order.begin() + std::min<Index>(missing, std::ssize(order)));
    AbcSamples rest = selected(last, fill);
    normalize(rest);
    const double part = static_cast<double>(accepted.rows()) / static_cast<double>(size_);
    for (double& weight : accepted.weights) weight *= part;
    for (double& weight : rest.weights) weight *= 1 - part;
    return joined(accepted, rest);
  }

  // A batch of simulations around the last population, of which the near ones.
  AbcSamples simulate(const Perturbation& around, double epsilon) {
    Simulations& simulations = request_.simulations;
    const Index first = simulations.issued(), count = std::min(size_, left());
    const auto draws = [&](Index rows) {
      Matrix<double> local(rows, prior_.dimensions());
      for (Index i = 0; i < rows; ++i) {
        around.draw(local.row(i),
                    request_.rng.child("perturb", static_cast<std::uint64_t>(first + i)));
      }
      return local_to_theta(prior_, local);
    };
    // Populations are no rounds of the run: nothing of them is kept on disk but their simulations.
    simulations.simulate({whole_, draws}, 1, count, request_.observer);
    AbcSamples made = measure(simulations.inside(whole_, options_.validation_fraction, first),
                              request_.observation, scale_);
    std::vector<Index> near;
    for (Index i = 0; i < made.rows(); ++i) {
      if (!(made.distance[static_cast<std::size_t>(i)] <= epsilon)) continue;
      near.push_back(i);
      made.weights[static_cast<std::size_t>(i)] =
          std::exp(log_prior(prior_, made.local.row(i)) - around.log_density(made.local.row(i)));
    }
    return selected(made, near);
  }

  const InferenceRequest& request_;
  const InferenceOptions& options_;
  Region whole_;
  TruncatedPrior prior_;
  Index size_ = 0;
  std::vector<double> scale_;
};

}  // namespace

InferenceResult smc_abc(const InferenceRequest& request) {
  Populations populations(request);
  AbcSamples last = populations.run();
  stop_if_requested(request.observer);
  return abc_result(request, [&] {
    if (request.options.abc.adjust) {
      std::vector<double> observed(request.observation.begin(), request.observation.end());
      for (std::size_t j = 0; j < observed.size(); ++j) observed[j] /= populations.scale()[j];
      adjust_by_regression(last, observed);
    }
    return std::move(last);
  });
}

}  // namespace hone
