#include "hone/inference/mcmc.h"

#include <cmath>
#include <limits>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/metrics/split_r_hat.h"
#include "hone/posterior/ensemble_mcmc.h"
#include "hone/posterior/sample_posterior.h"
#include "hone/posterior/tempered_sampling.h"

namespace hone {
namespace {

constexpr double kAgreement = 1.02, kLeastDraws = 1000;
constexpr Index kRows = 10240;

void require_likelihood(const InferenceRequest& request) {
  if (request.log_likelihood) return;
  fail_value("method", "'mcmc'",
             "needs the likelihood, which only some built-in tasks have; use tmnre, or another "
             "method that learns from simulations");
}

// log of prior times likelihood in local coordinates. Where the likelihood cannot be computed it
// counts as 0.
std::vector<double> log_posterior(const InferenceRequest& request, const TruncatedPrior& prior,
                                  const Matrix<double>& points) {
  stop_if_requested(request.observer);
  std::vector<double> values(static_cast<std::size_t>(points.rows()));
  parallel_for(points.rows(), [&](Index i) {
    std::vector<double> theta(static_cast<std::size_t>(points.cols()));
    double axes = 0;
    for (int d = 0; d < prior.dimensions(); ++d) {
      theta[static_cast<std::size_t>(d)] = prior.to_theta(d, points(i, d));
      axes += prior.prior()[d].log_density(theta[static_cast<std::size_t>(d)]);
    }
    double& value = values[static_cast<std::size_t>(i)];
    try {
      value = request.log_likelihood(theta);
      // Independent parameters are uniform in local coordinates.
      if (prior.prior().copula() != nullptr) value += prior.log_density(theta) - axes;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::numerical) throw;
      value = -std::numeric_limits<double>::infinity();
    }
    if (std::isnan(value)) value = -std::numeric_limits<double>::infinity();
  });
  return values;
}

struct Diagnosis {
  double r_hat = 1;  // of the worst parameter
  double effective_size = 0;
};

Diagnosis diagnose(const EnsembleMcmcResult& chain, Index walkers) {
  Diagnosis result{1, chain.effective_size};
  for (Index d = 0; d < chain.points.cols(); ++d) {
    Matrix<double> coordinate(chain.points.rows() / walkers, walkers);
    for (Index i = 0; i < coordinate.rows() * walkers; ++i) {
      coordinate(i / walkers, i % walkers) = chain.points(i, d);
    }
    result.r_hat = std::max(result.r_hat, split_r_hat(coordinate));
  }
  return result;
}

Matrix<double> sample(const InferenceRequest& request, const TruncatedPrior& prior) {
  const auto density = [&](const Matrix<double>& points) {
    return log_posterior(request, prior, points);
  };
  EnsembleMcmcOptions options;
  Matrix<double> walkers = tempered_samples(density, prior.dimensions(), request.rng.child("start"),
                                            {.particles = options.walkers, .moves = 12})
                               .points;
  Diagnosis diagnosis;
  // Each time four times as long, from where the last one ended.
  constexpr int kAttempts = 4;
  for (int attempt = 0; attempt < kAttempts; ++attempt, options.thin *= 4) {
    EnsembleMcmcResult chain =
        ensemble_mcmc(density, std::move(walkers), kRows,
                      request.rng.child("chain", static_cast<std::uint64_t>(attempt)), options);
    diagnosis = diagnose(chain, options.walkers);
    request.observer.log(
        LogLevel::info,
        fmt::format("chain {}: R-hat {:.4f}, effective draws {:.0f}, acceptance {:.2f}",
                    attempt + 1, diagnosis.r_hat, diagnosis.effective_size, chain.acceptance));
    if (diagnosis.r_hat < kAgreement && diagnosis.effective_size > kLeastDraws) {
      return std::move(chain.points);
    }
    walkers = Matrix<double>(options.walkers, chain.points.cols());
    std::copy_n(chain.points.row(kRows - options.walkers).data(), options.walkers * walkers.cols(),
                walkers.data());
  }
  fail(ErrorKind::numerical,
       "the Markov chains do not agree: R-hat is {:.3f} (must be below {}), effective draws {:.0f} "
       "(must be {})",
       diagnosis.r_hat, kAgreement, diagnosis.effective_size, kLeastDraws);
}

}  // namespace

InferenceResult mcmc(const InferenceRequest& request) {
  require_likelihood(request);
  const Region whole = Region::whole(request.simulations.prior().dimensions());
  request.observer.context_changed("Markov chains");
  TrainedPosterior posterior = request.journal.final_posterior([&] {
    const TruncatedPrior prior(request.simulations.prior(), whole);
    Matrix<double> points = sample(request, prior);
    const auto rows = static_cast<std::size_t>(points.rows());
    return TrainedPosterior{std::make_shared<const SamplePosterior>(
        prior, request.marginals,
        std::vector<double>(request.observation.begin(), request.observation.end()),
        WeightedPoints{std::move(points), std::vector(rows, 1 / static_cast<double>(rows))})};
  });
  stop_if_requested(request.observer);
  return {.posterior = std::move(posterior), .region = whole, .budget_spent = true};
}

}  // namespace hone
