#include "hone/prior/truncated_prior.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/prior/half_spaces.h"

namespace hone {
namespace {

// HONE_TEST_SEED overrides the seed of the statistical tests.
Rng test_rng() {
  const char* seed = std::getenv("HONE_TEST_SEED");
  return Rng(seed == nullptr ? 20240 : std::strtoull(seed, nullptr, 10));
}

Prior standard_normal() {
  return Prior({{"z", "", make_distribution({"normal", {{"mean", 0}, {"sigma", 1}}, {}})}});
}

Prior everything() {
  std::vector<Parameter> parameters;
  const auto add = [&](const DistributionSpec& spec) {
    parameters.push_back({spec.kind, "", make_distribution(spec)});
  };
  add({"uniform", {{"low", -3}, {"high", 1e6}}, {}});
  add({"loguniform", {{"low", 1e-9}, {"high", 1e3}}, {}});
  add({"triangular", {{"low", 0}, {"mode", 1}, {"high", 3}}, {}});
  add({"normal", {{"mean", 100}, {"sigma", 0.1}}, {}});
  add({"truncated_normal", {{"mean", 0}, {"sigma", 1}, {"low", 8}}, {}});
  add({"lognormal", {{"mean", 0}, {"sigma", 2}}, {}});
  add({"beta", {{"alpha", 0.5}, {"beta", 3}}, {}});
  add({"gamma", {{"shape", 2.5}, {"scale", 1}}, {}});
  add({"exponential", {{"scale", 1}}, {}});
  add({"student_t", {{"degrees_of_freedom", 2}}, {}});
  add({"half_normal", {{"sigma", 1}}, {}});
  add({"tabulated", {}, {{"x", {0, 1, 2}}, {"density", {1, 0, 3}}}});
  return Prior(std::move(parameters));
}

struct Moments {
  double mean = 0;
  double standard_error = 0;
};

Moments moments(const Matrix<double>& samples, int column) {
  double sum = 0;
  double squares = 0;
  for (Index i = 0; i < samples.rows(); ++i) sum += samples(i, column);
  const double n = static_cast<double>(samples.rows());
  for (Index i = 0; i < samples.rows(); ++i) {
    squares += (samples(i, column) - sum / n) * (samples(i, column) - sum / n);
  }
  return {sum / n, std::sqrt(squares / n / n)};
}

Interval between(double low, double high) {
  return {unit_point(low), unit_point(high)};
}

// Mean of a standard normal cut to [8, 9]: (phi(8) - phi(9)) / (Q(8) - Q(9)), by mpmath; and that
// of [8.005, 9], the answer of a region whose edge is off by 4 % of its mass.
constexpr double kMeanEightToNine = 8.1211889929797971;
constexpr double kMeanOfWrongEdge = 8.1261109141638025;
constexpr double kMeanThirtyToThirtyOne = 30.033259667433622;

TEST(TruncatedPrior, SamplesExactlyEightSigmaOutInEitherTail) {
  const Prior prior = standard_normal();
  for (const double sign : {-1.0, 1.0}) {
    const Bounds bounds = sign > 0 ? Bounds{8, 9} : Bounds{-9, -8};
    const PriorSamples samples =
        sample(prior, region_from_theta(prior, {bounds}), 200000, test_rng());
    const auto [mean, error] = moments(samples.theta, 0);
    EXPECT_LT(std::abs(mean - sign * kMeanEightToNine), 4 * error);
    EXPECT_GT(std::abs(mean - sign * kMeanOfWrongEdge), 4 * error);
  }
}

TEST(TruncatedPrior, SamplesExactlyThirtySigmaOut) {
  const Prior prior = standard_normal();
  const PriorSamples samples =
      sample(prior, region_from_theta(prior, {{30, 31}}), 50000, test_rng());
  const auto [mean, error] = moments(samples.theta, 0);
  EXPECT_LT(std::abs(mean - kMeanThirtyToThirtyOne), 4 * error);
  EXPECT_GT(std::abs(mean - (kMeanThirtyToThirtyOne + 0.005)), 4 * error);
}

// Kolmogorov's statistic of local coordinates, which must be uniform: exceeds 1.95 / sqrt(n) once
// in a thousand. The control, a square, is far from uniform.
double kolmogorov(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double n = static_cast<double>(values.size());
    worst = std::max({worst, std::abs(values[i] - static_cast<double>(i) / n),
                      std::abs(values[i] - static_cast<double>(i + 1) / n)});
  }
  return worst * std::sqrt(static_cast<double>(values.size()));
}

TEST(TruncatedPrior, LocalCoordinatesOfSamplesAreUniform) {
  const Prior prior = everything();
  std::vector<std::vector<Interval>> axes(static_cast<std::size_t>(prior.dimensions()),
                                          {between(0.05, 0.1), between(0.3, 0.75)});
  const TruncatedPrior truncated(prior, Region(std::move(axes)));
  const PriorSamples samples = truncated.sample(4000, test_rng());
  for (int d = 0; d < prior.dimensions(); ++d) {
    std::vector<double> local;
    for (Index i = 0; i < 4000; ++i) local.push_back(truncated.to_local(d, samples.theta(i, d)));
    EXPECT_LT(kolmogorov(local), 2.3) << prior.parameter(d).name;  // 5e-5 under the hypothesis
    for (double& value : local) value *= value;
    EXPECT_GT(kolmogorov(local), 2.3) << prior.parameter(d).name;
  }
}

TEST(TruncatedPrior, EverySampleLiesInsideAndKnowsItsU) {
  const Prior prior = everything();
  for (const auto& [low, high] : {std::pair(unit_point(0.1), unit_point(0.6)),
                                  std::pair(unit_point(0.5), unit_point(0.5 + 1e-6)),
                                  std::pair(unit_point(0), unit_point(1e-3))}) {
    const Region region = Region::box(
        std::vector<Interval>(static_cast<std::size_t>(prior.dimensions()), {low, high}));
    const PriorSamples samples = sample(prior, region, 300, test_rng());
    for (Index i = 0; i < samples.theta.rows(); ++i) {
      ASSERT_TRUE(region.contains(prior, samples.theta.row(i)));
      for (int d = 0; d < prior.dimensions(); ++d) {
        ASSERT_EQ(samples.u(i, d), prior[d].cdf(samples.theta(i, d)));
      }
    }
  }
}

TEST(TruncatedPrior, RefusesARegionThatHoldsNoDouble) {
  const Prior prior({{"x", "", make_distribution({"uniform", {{"low", 8}, {"high", 9}}, {}})}});
  const Region region = Region::box({between(1e-20, 1e-19)});
  try {
    sample(prior, region, 1, test_rng());
    FAIL() << "sampled";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numerical);
  }
}

TEST(TruncatedPrior, LocalCoordinatesAndThetaInvertEachOther) {
  const Prior prior = everything();
  std::vector<std::vector<Interval>> axes(
      static_cast<std::size_t>(prior.dimensions()),
      {between(0.2, 0.3), between(0.4, 0.45), between(0.9, 0.99)});
  const TruncatedPrior truncated(prior, Region(std::move(axes)));
  const int points = 50;
  Matrix<double> local(points, prior.dimensions());
  for (Index i = 0; i < points; ++i) {
    for (int d = 0; d < prior.dimensions(); ++d) {
      local(i, d) = (static_cast<double>(i) + 0.5) / points;
    }
  }
  Matrix<double> theta(points, prior.dimensions());
  Matrix<double> back(points, prior.dimensions());
  truncated.to_theta(theta, local);
  truncated.to_local(back, theta);
  for (Index i = 0; i < points; ++i) {
    EXPECT_TRUE(truncated.region().contains(prior, theta.row(i)));
    for (int d = 0; d < prior.dimensions(); ++d) EXPECT_NEAR(back(i, d), local(i, d), 1e-10);
  }
}

TEST(TruncatedPrior, LocalCoordinatesResolveTheFarTails) {
  const Prior prior = standard_normal();
  for (const Bounds& bounds : {Bounds{8, 9}, Bounds{-9, -8}, Bounds{30, 40}, Bounds{-40, -30}}) {
    const TruncatedPrior truncated(prior, region_from_theta(prior, {bounds}));
    for (const double local : {1e-6, 0.1, 0.5, 0.9, 1 - 1e-6}) {
      EXPECT_NEAR(truncated.to_local(0, truncated.to_theta(0, local)), local, 1e-11);
    }
    EXPECT_EQ(truncated.to_local(0, bounds.low), 0);
    EXPECT_EQ(truncated.to_local(0, bounds.high), 1);
    EXPECT_EQ(truncated.to_local(0, 0.0), bounds.low > 0 ? 0 : 1);
  }
}

TEST(TruncatedAxis, MapsGapsToTheirEdge) {
  const TruncatedAxis axis({between(0.1, 0.2), between(0.8, 0.9)});
  EXPECT_DOUBLE_EQ(axis.mass(), 0.2);
  EXPECT_DOUBLE_EQ(axis.to_local(unit_point(0.5)).u, 0.5);
  EXPECT_DOUBLE_EQ(axis.to_local(unit_point(0.15)).u, 0.25);
  EXPECT_DOUBLE_EQ(axis.to_local(unit_point(0.85)).complement, 0.25);
  EXPECT_DOUBLE_EQ(axis.to_unit(unit_point(0.25)).u, 0.15);
  EXPECT_DOUBLE_EQ(axis.to_unit(unit_point(0.75)).u, 0.85);
  EXPECT_EQ(axis.to_unit(unit_point(0)), unit_point(0.1));
  EXPECT_EQ(axis.to_unit(unit_point(1)), unit_point(0.9));
}

TEST(TruncatedPrior, DensityIsNormalisedInsideTheRegion) {
  const Prior prior = standard_normal();
  const TruncatedPrior truncated(prior, region_from_theta(prior, {{8, 9}}));
  double sum = 0;
  const int cells = 20000;
  for (int i = 0; i < cells; ++i) {
    const double theta[] = {8 + (i + 0.5) / cells};
    sum += std::exp(truncated.log_density(theta)) / cells;
  }
  EXPECT_NEAR(sum, 1, 1e-7);
  const double outside[] = {7.999};
  EXPECT_EQ(truncated.log_density(outside), -HUGE_VAL);
}

TEST(TruncatedPrior, RowsDependOnTheirIndexOnly) {
  const TruncatedPrior truncated(everything(), Region::whole(everything().dimensions()));
  const Rng rng(3);
  PriorSamples all;
  with_threads(4, [&] { all = truncated.sample(1000, rng); });
  PriorSamples some;
  with_threads(1, [&] { some = truncated.sample(10, rng, 700); });
  for (Index i = 0; i < 10; ++i) {
    for (int d = 0; d < truncated.dimensions(); ++d) {
      EXPECT_EQ(some.theta(i, d), all.theta(700 + i, d));
    }
  }
}

// The part of a square of two parameters where u0 + u1 <= limit.
TruncatedPrior below_diagonal(double limit, double correlation = 0) {
  const auto uniform = make_distribution({"uniform", {{"low", 0}, {"high", 1}}, {}});
  const std::vector<Parameter> parameters{{"a", "", uniform}, {"b", "", uniform}};
  const Prior prior =
      correlation == 0
          ? Prior(parameters)
          : Prior(parameters, Copula(2, {{.a = 0, .b = 1, .correlation = correlation}}));
  const std::vector<HalfSpaces::Condition> conditions{{{1, 1}, limit}};
  return TruncatedPrior(
      prior, Region::whole(2).constrained(std::make_shared<const HalfSpaces>(conditions)));
}

TEST(ConstrainedPrior, SamplesAreUniformInsideTheTriangle) {
  const TruncatedPrior truncated = below_diagonal(1);
  const PriorSamples samples = truncated.sample(100000, test_rng());
  for (Index i = 0; i < samples.theta.rows(); ++i) {
    ASSERT_TRUE(truncated.region().contains(truncated.prior(), samples.theta.row(i)));
  }
  // Every coordinate has the density 2 (1 - u): mean 1/3, and 1 - (1 - u)^2 is uniform.
  for (const int d : {0, 1}) {
    const auto [mean, error] = moments(samples.theta, d);
    EXPECT_LT(std::abs(mean - 1.0 / 3), 4 * error);
    EXPECT_GT(std::abs(mean - 0.34), 4 * error);  // would be noticed
    std::vector<double> values;
    for (Index i = 0; i < 10000; ++i) values.push_back(1 - std::pow(1 - samples.u(i, d), 2));
    EXPECT_LT(kolmogorov(values), 2.3);
    for (Index i = 0; i < 10000; ++i) values[static_cast<std::size_t>(i)] = samples.u(i, d);
    EXPECT_GT(kolmogorov(values), 2.3);
  }
}

TEST(ConstrainedPrior, AConstraintThatHoldsEverywhereChangesNoDraw) {
  const TruncatedPrior idle = below_diagonal(3);
  const TruncatedPrior whole(idle.prior(), Region::whole(2));
  EXPECT_EQ(idle.log_mass(), 0);
  const PriorSamples a = idle.sample(500, test_rng()), b = whole.sample(500, test_rng());
  for (Index i = 0; i < 500; ++i) {
    for (const int d : {0, 1}) ASSERT_EQ(a.theta(i, d), b.theta(i, d));
  }
}

TEST(ConstrainedPrior, DensityIsNormalisedInsideTheConstraint) {
  const TruncatedPrior truncated = below_diagonal(1);
  const double inside[] = {0.3, 0.3}, outside[] = {0.7, 0.7};
  EXPECT_NEAR(std::exp(truncated.log_density(inside)), 2, 4 * 4 * 0.002);
  EXPECT_EQ(truncated.log_density(outside), -HUGE_VAL);
}

TEST(ConstrainedPrior, CorrelatedParametersStaySo) {
  // By symmetry the diagonal halves any correlated prior of the square too.
  const TruncatedPrior truncated = below_diagonal(1, 0.8);
  EXPECT_NEAR(std::exp(truncated.log_mass()), 0.5, 4 * 0.5 / std::sqrt(16384));
  const PriorSamples samples = truncated.sample(20000, test_rng());
  double product = 0, first = 0, second = 0;
  for (Index i = 0; i < 20000; ++i) {
    ASSERT_LE(samples.u(i, 0) + samples.u(i, 1), 1);
    product += samples.u(i, 0) * samples.u(i, 1) / 20000;
    first += samples.u(i, 0) / 20000;
    second += samples.u(i, 1) / 20000;
  }
  EXPECT_GT(product - first * second, 0.005);  // -1/36 in the uniform triangle
}

TEST(ConstrainedPrior, RowsDependOnTheirIndexOnly) {
  const TruncatedPrior truncated = below_diagonal(0.5);
  const PriorSamples all = truncated.sample(1000, Rng(3)), some = truncated.sample(5, Rng(3), 700);
  for (Index i = 0; i < 5; ++i) EXPECT_EQ(some.theta(i, 0), all.theta(700 + i, 0));
}

// Where nearly all of the prior is elsewhere: no draw in the square, but the intervals are fine.
TEST(ConstrainedPrior, RefusesAConstraintThatLeavesNothing) {
  try {
    below_diagonal(1e-4);
    FAIL() << "made";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numerical);
  }
}

}  // namespace
}  // namespace hone
