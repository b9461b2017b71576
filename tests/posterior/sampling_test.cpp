#include "hone/posterior/sampling.h"

#include <gtest/gtest.h>

#include "hone/prior/half_spaces.h"
#include "inference/support.h"

namespace hone {
namespace {

using test::column, test::exact_posterior, test::gaussian, test::kolmogorov, test::mean_of,
    test::normal_cdf, test::normal_prior, test::test_rng, test::uniform_prior, test::variance_of;

MarginalPosterior narrow(int dimensions, double sigma) {
  const std::vector<double> mean(std::size_t(dimensions), 0.4);
  return exact_posterior({uniform_prior(dimensions), Region::whole(dimensions)}, joint(dimensions),
                         {gaussian(mean, sigma)});
}

TEST(Sampling, RejectionFollowsTheExactDistribution) {
  const auto samples = sample_posterior(narrow(1, 0.05), 5000, test_rng());
  EXPECT_EQ(samples.method, "rejection");
  EXPECT_EQ(samples.effective_size, 5000);
  const auto cdf = [](double mean) {
    return [mean](double theta) { return normal_cdf((theta - mean) / 0.05); };
  };
  EXPECT_LT(kolmogorov(column(samples.theta, 0), cdf(0.4)), 2.2);
  EXPECT_GT(kolmogorov(column(samples.theta, 0), cdf(0.405)), 2.2);  // a wrong target
  // The envelope follows the density, with head room of 5 %; its steps cost 2 % more.
  EXPECT_GT(samples.acceptance, 0.9);
  EXPECT_LT(samples.acceptance, std::exp(-0.05));
}

TEST(Sampling, RejectionIsExactUnderANormalPriorAndInARegionWithAGap) {
  // Prior N(0, 2), likelihood N(1, 1): posterior N(0.8, 0.8), here without u in 0.5 .. 0.6.
  const Region region({{{unit_point(0.2), unit_point(0.5)}, {unit_point(0.6), unit_point(0.9)}}});
  const Prior prior = normal_prior(1, 0, 2);
  const auto posterior = exact_posterior({prior, region}, {0}, {gaussian({1}, 1)});
  const auto samples = sample_posterior(posterior, 4000, test_rng());
  const auto gaussian_cdf = [](double t) { return normal_cdf((t - 0.8) / std::sqrt(0.8)); };
  const auto bounds = theta_bounds(prior, region, 0);
  const auto below = [&](double t) {
    double mass = 0;
    for (const Bounds& b : bounds) {
      mass += gaussian_cdf(std::clamp(t, b.low, b.high)) - gaussian_cdf(b.low);
    }
    return mass;
  };
  const double total = below(1e9);
  for (Index i = 0; i < 4000; ++i) ASSERT_TRUE(region.contains(prior, samples.theta.row(i)));
  EXPECT_LT(kolmogorov(column(samples.theta, 0), [&](double t) { return below(t) / total; }), 2.2);
  EXPECT_GT(kolmogorov(column(samples.theta, 0), gaussian_cdf), 2.2);  // without the cuts

  // The density is normalised over the region, in units of theta, and nothing outside it.
  Matrix<double> at(4, 1);
  at(0, 0) = 1, at(1, 0) = bounds[0].high + 0.01, at(2, 0) = 100, at(3, 0) = -100;
  const auto density = posterior.log_density(at);
  EXPECT_NEAR(std::exp(density[0]), std::exp(-0.5 * 0.04 / 0.8) / std::sqrt(2 * M_PI * 0.8) / total,
              1e-3);
  for (int i = 1; i < 4; ++i) EXPECT_EQ(density[std::size_t(i)], -INFINITY);
}

// Flat in the square, cut to the triangle u0 + u1 <= 1.
TEST(Sampling, TheJointPosteriorEndsAtTheConstraintOfTheRegion) {
  const std::vector<HalfSpaces::Condition> conditions{{{1, 1}, 1}};
  const Region region =
      Region::whole(2).constrained(std::make_shared<const HalfSpaces>(conditions));
  const auto posterior =
      exact_posterior({uniform_prior(2), region}, joint(2), {gaussian({0.5, 0.5}, 100)});
  const auto samples = sample_posterior(posterior, 4000, test_rng());
  for (Index i = 0; i < 4000; ++i) {
    ASSERT_LE(samples.theta(i, 0) + samples.theta(i, 1), 1 + 1e-6);
  }
  const auto triangle = [](double t) { return 1 - (1 - t) * (1 - t); };
  EXPECT_LT(kolmogorov(column(samples.theta, 0), triangle), 2.2);
  EXPECT_GT(kolmogorov(column(samples.theta, 0), [](double t) { return t; }), 2.2);
  Matrix<double> at(2, 2);
  at(0, 0) = at(0, 1) = 0.3, at(1, 0) = at(1, 1) = 0.7;
  const auto density = posterior.log_density(at);
  EXPECT_NEAR(std::exp(density[0]), 2, 0.03);
  EXPECT_EQ(density[1], -INFINITY);
}

TEST(Sampling, WeightedSamplesStateTheirEffectiveSizeAndCanBeResampled) {
  const auto weighted = weighted_samples(narrow(1, 0.05), 40000, test_rng());
  EXPECT_NEAR(mean_of(weighted.weights) * 40000, 1, 1e-9);
  // n (mean w)^2 / mean w^2 for a Gaussian of width s: n 2 s sqrt(pi).
  EXPECT_NEAR(weighted.effective_size, 40000 * 2 * 0.05 * std::sqrt(M_PI), 300);
  double mean = 0;
  for (Index i = 0; i < 40000; ++i) mean += weighted.weights[std::size_t(i)] * weighted.theta(i, 0);
  EXPECT_NEAR(mean, 0.4, 4 * 0.05 / std::sqrt(weighted.effective_size));

  const auto drawn = column(resample(weighted, 2000, test_rng()), 0);
  EXPECT_LT(kolmogorov(drawn, [](double t) { return normal_cdf((t - 0.4) / 0.05); }), 2.7);
  EXPECT_GT(kolmogorov(drawn, [](double t) { return normal_cdf((t - 0.42) / 0.05); }), 2.7);
}

TEST(Sampling, FollowsAJointOfThreeDimensions) {
  const auto samples = sample_posterior(narrow(3, 0.1), 3000, test_rng());
  EXPECT_EQ(samples.method, "rejection");
  for (Index d = 0; d < 3; ++d) {
    const auto cdf = [](double t) { return normal_cdf((t - 0.4) / 0.1); };
    EXPECT_LT(kolmogorov(column(samples.theta, d), cdf), 2.2) << d;
  }
}

TEST(Sampling, TurnsToMcmcAndSaysSoWhenRejectionIsHopeless) {
  const auto samples = sample_posterior(narrow(4, 0.03), 8000, test_rng());
  EXPECT_EQ(samples.method, "mcmc");
  EXPECT_GT(samples.effective_size, 500);
  for (Index d = 0; d < 4; ++d) {
    const auto values = column(samples.theta, d);
    const double error = 0.03 / std::sqrt(samples.effective_size);
    EXPECT_LT(std::abs(mean_of(values) - 0.4), 4 * error) << d;
    EXPECT_GT(std::abs(mean_of(values) - 0.4 - 10 * error), 4 * error) << d;  // a wrong target
    EXPECT_LT(std::abs(variance_of(values) / 9e-4 - 1), 4 * std::sqrt(2 / samples.effective_size));
  }
  // The caller sets the limit.
  EXPECT_EQ(sample_posterior(narrow(1, 0.05), 100, test_rng(), {.min_acceptance = 0.99}).method,
            "mcmc");
}

TEST(Sampling, ProposesWhereTheDensityIsInTwoDimensions) {
  // Two narrow peaks of different weight: uniform proposals would keep 1 in 64.
  const auto peaks = [](std::span<const double> t) {
    const double low = gaussian({0.25, 0.3}, 0.02)(t), high = gaussian({0.8, 0.6}, 0.02)(t);
    return std::log(std::exp(low) + 3 * std::exp(high) + 1e-300);
  };
  const auto posterior = exact_posterior({uniform_prior(2), Region::whole(2)}, joint(2), {peaks});
  const auto samples = sample_posterior(posterior, 8000, test_rng());
  EXPECT_EQ(samples.method, "rejection");
  EXPECT_GT(samples.acceptance, 0.3);
  const auto peak_cdf = [](double t, double shift) {
    return 0.25 * normal_cdf((t - 0.25 - shift) / 0.02) +
           0.75 * normal_cdf((t - 0.8 - shift) / 0.02);
  };
  const auto first = column(samples.theta, 0);
  EXPECT_LT(kolmogorov(first, [&](double t) { return peak_cdf(t, 0); }), 2.2);
  EXPECT_GT(kolmogorov(first, [&](double t) { return peak_cdf(t, 0.003); }), 2.2);
  const auto second = [](double t) {
    return 0.25 * normal_cdf((t - 0.3) / 0.02) + 0.75 * normal_cdf((t - 0.6) / 0.02);
  };
  EXPECT_LT(kolmogorov(column(samples.theta, 1), second), 2.2);
}

TEST(Sampling, IsExactWhereTheGridOfTheEnvelopeMissesARidge) {
  // Between two rows of the grid's points, and far narrower: met by chance, the envelope is raised.
  const auto ridge = [](std::span<const double> t) {
    return std::log(1 + 40 * std::exp(-0.5 * std::pow((t[0] - 0.5) / 2e-4, 2)));
  };
  const auto posterior = exact_posterior({uniform_prior(2), Region::whole(2)}, joint(2), {ridge});
  const auto values = column(sample_posterior(posterior, 8000, test_rng()).theta, 0);
  const auto near =
      double(std::ranges::count_if(values, [](double t) { return std::abs(t - 0.5) < 1e-3; }));
  // The ridge has 40 sqrt(2 pi) 2e-4 = 0.02005 of the mass, the flat rest 1.
  const double expected = 8000 * (0.02005 + 0.002) / 1.02005;
  EXPECT_NEAR(near, expected, 4.5 * std::sqrt(expected));
}

TEST(Sampling, AveragesTheNormalisedDensitiesOfAnEnsemble) {
  // Two networks, one of them off by a constant factor of e^3, which must not matter.
  const auto posterior = exact_posterior({uniform_prior(1), Region::whole(1)}, {0},
                                         {gaussian({0.3}, 0.02), [](std::span<const double> t) {
                                            return 3 + gaussian({0.7}, 0.02)(t);
                                          }});
  const auto values = column(sample_posterior(posterior, 4000, test_rng()).theta, 0);
  const double high = double(std::ranges::count_if(values, [](double t) { return t > 0.5; }));
  EXPECT_NEAR(high / 4000, 0.5, 4 * 0.5 / std::sqrt(4000.0));
}

TEST(Sampling, GivesTheSameSamplesForTheSameStream) {
  const auto posterior = narrow(2, 0.1);
  const auto a = sample_posterior(posterior, 50, Rng(1)),
             b = sample_posterior(posterior, 50, Rng(1));
  EXPECT_EQ(column(a.theta, 1), column(b.theta, 1));
  EXPECT_NE(column(a.theta, 1), column(sample_posterior(posterior, 50, Rng(2)).theta, 1));
}

TEST(Sampling, RefusesARatioThatIsNotFinite) {
  const auto text = error_text(
      [] {
        exact_posterior({uniform_prior(2), Region::whole(2)}, {1},
                        {[](std::span<const double>) { return NAN; }});
      },
      ErrorKind::numerical);
  EXPECT_TRUE(contains(text, "p1")) << text;
}

}  // namespace
}  // namespace hone
