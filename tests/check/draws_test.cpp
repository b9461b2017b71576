// Ranks of true values in posteriors that are known exactly: x = theta + noise for two parameters
// with a uniform prior, so that the posterior is a normal distribution cut to the square.
#include "hone/check/draws.h"

#include <gtest/gtest.h>

#include "hone/check/coverage.h"
#include "hone/check/ecdf.h"
#include "hone/check/widening.h"
#include "inference/support.h"

namespace hone {
namespace {

constexpr double kSigma = 0.05, kCorrelation = 0.8;

// What is wrong with the posterior.
struct Wrong {
  double width = 1, shift = 0, correlation = kCorrelation;
};

double log_density(std::span<const float> x, std::span<const float> theta, const Marginal& marginal,
                   const Wrong& wrong) {
  const auto z = [&](std::size_t j) {
    const double distance =
        static_cast<double>(theta[j]) - static_cast<double>(x[std::size_t(marginal[j])]);
    return (distance / kSigma - wrong.shift) / wrong.width;
  };
  if (marginal.size() == 1) return -0.5 * z(0) * z(0);
  const double rho = wrong.correlation;
  return -0.5 * (z(0) * z(0) - 2 * rho * z(0) * z(1) + z(1) * z(1)) / (1 - rho * rho);
}

BlockPosteriors posteriors(const Wrong& wrong) {
  const auto log_ratios = [wrong](const Marginal& marginal, MatrixView<const float> features,
                                  MatrixView<const float> local) {
    const Index points = local.rows() / features.rows();
    std::vector<Matrix<float>> result;
    result.emplace_back(features.rows(), points);
    for (Index i = 0; i < local.rows(); ++i) {
      result[0](i / points, i % points) =
          static_cast<float>(log_density(features.row(i / points), local.row(i), marginal, wrong));
    }
    return result;
  };
  return {TruncatedPrior(test::uniform_prior(2), Region::whole(2)), {{0}, {1}, {0, 1}}, log_ratios};
}

struct Simulated {
  Matrix<float> x;
  Matrix<double> theta;
  TestDraws draws() const { return {x, theta}; }
};

// True values keep away from the prior's ends: these posteriors ignore them.
Simulated simulate(Index rows) {
  Simulated result{Matrix<float>(rows, 2), Matrix<double>(rows, 2)};
  for (Index i = 0; i < rows; ++i) {
    Rng rng = test::test_rng().child("simulate", static_cast<std::uint64_t>(i));
    const double a = rng.normal(), b = rng.normal();
    const double noise[] = {a, kCorrelation * a + std::sqrt(1 - kCorrelation * kCorrelation) * b};
    for (Index d = 0; d < 2; ++d) {
      const double middle = 0.3 + 0.4 * rng.uniform();
      result.x(i, d) = static_cast<float>(middle);
      result.theta(i, d) = middle + kSigma * noise[d];
    }
  }
  return result;
}

std::vector<MarginalRanks> ranks_of(const Wrong& wrong, Index rows,
                                    const RankOptions& options = {}) {
  const Simulated simulated = simulate(rows);
  return rank_draws(posteriors(wrong), simulated.draws(), test::test_rng().child("rank"),
                    silent_observer(), options);
}

double uniform(double v) {
  return v;
}

std::vector<double> credibility(const MarginalRanks& ranks) {
  const auto row = ranks.credibility.row(0);
  return {row.begin(), row.end()};
}

TEST(Ranks, OfRightPosteriorsAreUniform) {
  const auto ranks = ranks_of({}, 3000);
  ASSERT_EQ(ranks.size(), 3U);
  for (const MarginalRanks& one : ranks) {
    EXPECT_LT(test::kolmogorov(credibility(one), uniform), 2.2);
  }
  EXPECT_LT(test::kolmogorov(ranks[0].cdf, uniform), 2.2);
  EXPECT_LT(test::kolmogorov(ranks[2].nearer, uniform), 2.2);
  // Means and widths of the 1-d posteriors.
  for (std::size_t i = 0; i < 100; ++i) EXPECT_NEAR(ranks[0].deviation[i], kSigma, 1e-3);
}

TEST(Ranks, AreUniformAlsoWithFarTooFewPoints) {
  RankOptions options;
  options.points_1d = 8;
  options.points_2d = 5;
  for (const MarginalRanks& one : ranks_of({}, 3000, options)) {
    EXPECT_LT(test::kolmogorov(credibility(one), uniform), 2.2);
  }
}

TEST(Ranks, NegativeControlEveryFaultShows) {
  const auto narrow = ranks_of({.width = 0.9}, 3000);
  EXPECT_GT(test::kolmogorov(credibility(narrow[0]), uniform), 2.2);
  EXPECT_GT(test::kolmogorov(credibility(narrow[2]), uniform), 2.2);
  const auto shifted = ranks_of({.shift = 0.3}, 3000);
  EXPECT_GT(test::kolmogorov(shifted[1].cdf, uniform), 2.2);
  EXPECT_GT(test::kolmogorov(shifted[2].nearer, uniform), 2.2);
  // A joint shape that both 1-d marginals do not see.
  const auto uncorrelated = ranks_of({.correlation = 0}, 3000);
  EXPECT_LT(test::kolmogorov(credibility(uncorrelated[0]), uniform), 2.2);
  EXPECT_GT(test::kolmogorov(uncorrelated[2].nearer, uniform), 2.2);
}

TEST(Ranks, NoCoarserThanThePosteriorsWidth) {
  // The coverage of 10 % too narrow posteriors, as computed on the lattice, is the exact one.
  const auto ranks = ranks_of({.width = 0.9}, 4000);
  const auto check =
      check_coverage({{"a", 1, credibility(ranks[0])}, {"a,b", 2, credibility(ranks[2])}});
  EXPECT_NEAR(check.marginals[0].levels[0].empirical, std::erf(0.9 / std::sqrt(2.0)), 0.03);
  const double exact_pair =
      1 - std::pow(1 - 0.682689, 0.81);  // 1 - exp(-q^2 / 2) in two dimensions
  EXPECT_NEAR(check.marginals[1].levels[0].empirical, exact_pair, 0.03);
}

TEST(Ranks, HaveTheMeansOfThePartsOfACombinedPosterior) {
  // Two parts with a network each, the second shifted by one sigma, and one that nobody asks.
  BlockPosteriors both = posteriors({});
  const std::vector<double> weights{0.75, 0.25, 0};
  both.weights = [&](const Marginal&) { return std::span<const double>(weights); };
  both.parts = {1, 1, 1};
  both.log_densities = [](const Marginal& marginal, MatrixView<const float> features,
                          MatrixView<const float> local) {
    auto result = posteriors({}).log_densities(marginal, features, local);
    for (const double shift : {1.0, 5.0}) {
      result.push_back(
          std::move(posteriors({.shift = shift}).log_densities(marginal, features, local)[0]));
    }
    return result;
  };
  const Simulated simulated = simulate(20);
  const auto ranks = rank_draws(both, simulated.draws(), test::test_rng(), silent_observer());
  ASSERT_EQ(ranks[0].part_mean.rows(), 3);
  EXPECT_EQ(ranks[2].part_mean.rows(), 0);  // of a pair
  for (Index i = 0; i < 20; ++i) {
    const double exact = static_cast<double>(simulated.x(i, 0));
    EXPECT_NEAR(ranks[0].part_mean(0, i), exact, 1e-3);
    EXPECT_NEAR(ranks[0].part_mean(1, i), exact + kSigma, 1e-3);
    EXPECT_EQ(ranks[0].part_mean(2, i), ranks[0].mean[std::size_t(i)]);
  }
}

TEST(Ranks, DoNotDependOnThreadsOrBatches) {
  RankOptions small;
  small.batch = 7;
  const auto one = ranks_of({}, 100), other = ranks_of({}, 100, small);
  for (std::size_t k = 0; k < one.size(); ++k) {
    EXPECT_EQ(credibility(one[k]), credibility(other[k]));
  }
}

TEST(Widening, UndoesWhatIsTooNarrowAndLeavesTheRest) {
  RankOptions options;
  options.powers = widening_powers();
  const std::vector<std::string> names{"a", "b"};
  const Widening narrow = choose_widening(ranks_of({.width = 0.8}, 2000, options), names);
  ASSERT_EQ(narrow.correction.powers.size(), 3U);
  for (const CorrectionEntry& entry : narrow.entries) {
    EXPECT_NEAR(entry.power, 0.64, 0.06) << entry.marginal;  // (0.8)^2 widens a normal by 1 / 0.8
    EXPECT_LT(entry.coverage68, 0.62);
    EXPECT_NEAR(entry.corrected68, 0.6827, 0.03) << entry.marginal;
    EXPECT_NEAR(entry.corrected95, 0.9545, 0.02) << entry.marginal;
  }
  EXPECT_TRUE(choose_widening(ranks_of({.width = 1.25}, 1000, options), names).entries.empty());
}

}  // namespace
}  // namespace hone
