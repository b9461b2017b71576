// Draws around weighted points: they must follow a narrow posterior, also across correlations.
#include "hone/estimate/kernel_draws.h"

#include <cmath>

#include <gtest/gtest.h>

#include "hone/prior/standard_normal.h"
#include "inference/support.h"

namespace hone {
namespace {

// A posterior that is normal in the normal scores z of the local coordinates, whose prior is
// uniform: sigma 0.2 around 0.4, all correlations equal.
struct NarrowPosterior {
  Index dimensions;
  double correlation;
  static constexpr double kMean = 0.4, kSigma = 0.2;

  // log posterior over the prior, up to a constant
  double log_ratio(std::span<const float> local) const {
    double sum = 0, squares = 0, prior = 0;
    for (const float u : local) {
      const double z = standard_normal_quantile(double(u)), y = (z - kMean) / kSigma;
      sum += y;
      squares += y * y;
      prior -= z * z / 2;
    }
    const double n = double(dimensions), free = 1 - correlation;
    const double along = sum * sum / n, across = squares - along;
    return -0.5 * (along / (free + n * correlation) + across / free) - prior;
  }

  std::vector<double> weights(const ProposalDraws& draws) const {
    std::vector<double> result;
    double total = 0;
    for (Index i = 0; i < draws.local.rows(); ++i) {
      const double log = log_ratio(draws.local.row(i)) - double(draws.log_density[std::size_t(i)]);
      total += result.emplace_back(std::exp(log));
    }
    for (double& weight : result) weight /= total;
    return result;
  }
};

double effective_size(const std::vector<double>& weights) {
  double squares = 0;
  for (const double weight : weights) squares += weight * weight;
  return 1 / squares;
}

// Normal with a diagonal covariance, twice as wide as the posterior.
ProposalDraws wide_draws(const NarrowPosterior& posterior, Index rows, Rng rng) {
  ProposalDraws draws{Matrix<float>(rows, posterior.dimensions), {}};
  for (Index i = 0; i < rows; ++i) {
    double log = 0;
    for (Index d = 0; d < posterior.dimensions; ++d) {
      const double y = rng.normal(), width = 2 * NarrowPosterior::kSigma;
      const double z = NarrowPosterior::kMean + width * y;
      draws.local(i, d) = float(0.5 * std::erfc(-z / std::sqrt(2.0)));
      log += -y * y / 2 + z * z / 2 - std::log(width);
    }
    draws.log_density.push_back(float(log));
  }
  return draws;
}

TEST(KernelDraws, FollowANarrowPosteriorAcrossItsCorrelations) {
  for (const double correlation : {0.0, 0.9}) {
    const NarrowPosterior posterior{4, correlation};
    const ProposalDraws first = wide_draws(posterior, 16384, test::test_rng());
    const auto before = posterior.weights(first);
    const ProposalDraws around = draw_around(first.local, before, test::test_rng().child("around"));
    const auto after = posterior.weights(around);
    EXPECT_GT(effective_size(after), 1.5 * effective_size(before)) << correlation;

    // Weighted, they are draws of the posterior: the mean within four standard errors.
    double mean = 0, control = 0;
    for (std::size_t i = 0; i < after.size(); ++i) {
      const double z = standard_normal_quantile(double(around.local(Index(i), 0)));
      mean += after[i] * z;
      control += z / double(after.size());
    }
    const double error = NarrowPosterior::kSigma / std::sqrt(effective_size(after));
    EXPECT_NEAR(mean, NarrowPosterior::kMean, 4 * error) << correlation;
    EXPECT_GT(std::abs(control - NarrowPosterior::kMean), 4 * error)
        << "the control: without weights a tenth of the draws is uniform";
  }
}

}  // namespace
}  // namespace hone
