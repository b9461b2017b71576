// Distributions of whole numbers: probabilities, what each value owns of u, and regions of them.

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "files/test_files.h"
#include "hone/core/error.h"
#include "inference/support.h"

namespace hone {
namespace {

DistributionPointer make(const char* text) {
  return make_distribution(distribution_spec_from_json(nlohmann::json::parse(text)));
}

const std::vector<const char*> kSpecimens{
    R"({"kind":"integer","low":1,"high":12})",
    R"({"kind":"integer","low":-3,"high":-2})",
    R"({"kind":"poisson","mean":3.5})",
    R"({"kind":"poisson","mean":0.01})",
    R"({"kind":"poisson","mean":900})",
    R"({"kind":"binomial","trials":40,"probability":0.2})",
    R"({"kind":"categorical","probabilities":[2,1,1],"names":["red","green","blue"]})"};

TEST(Discrete, ProbabilitiesAddUpAndValuesOwnTheirPartOfU) {
  for (const char* spec : kSpecimens) {
    SCOPED_TRACE(spec);
    const DistributionPointer one = make(spec);
    ASSERT_TRUE(one->discrete());
    double below = 0;
    for (double k = one->lower() + 0.5; k < one->upper(); ++k) {
      const double probability = std::exp(one->log_density(k));
      EXPECT_NEAR(one->cdf(k), below + probability / 2, 1e-12);
      EXPECT_NEAR(one->cdf(k) + one->cdf_complement(k), 1, 1e-12);
      EXPECT_NEAR(unit_interval(*one, k).mass(), probability, 1e-12);
      if (probability > 1e-9) {
        EXPECT_EQ(one->quantile(below + 0.01 * probability), k);
        EXPECT_EQ(one->quantile(below + 0.99 * probability), k);
      }
      below += probability;
    }
    EXPECT_NEAR(below, 1, 1e-12);
    EXPECT_EQ(one->quantile(0), one->lower() + 0.5);
    EXPECT_EQ(one->quantile_complement(0), one->upper() - 0.5);
    EXPECT_EQ(one->log_density(one->lower() + 1), -std::numeric_limits<double>::infinity());
  }
}

// In both halves of u: the point between two values belongs to the lower one.
TEST(Discrete, EveryValueComesBackFromItsPlaceAndFromItsUpperEnd) {
  for (const char* spec : kSpecimens) {
    SCOPED_TRACE(spec);
    const DistributionPointer one = make(spec);
    for (double k = one->lower() + 0.5; k < one->upper(); ++k) {
      const UnitPoint at = to_unit(*one, k);
      EXPECT_EQ(to_theta(*one, at), k);
      EXPECT_EQ(to_theta(*one, unit_interval(*one, k).high), k);
      // Near its other end a rounded number cannot tell values apart.
      EXPECT_TRUE(at.complement < 1e-9 || one->quantile(at.u) == k) << k;
      EXPECT_TRUE(at.u < 1e-9 || one->quantile_complement(at.complement) == k) << k;
    }
    EXPECT_EQ(to_theta(*one, {0, 1}), one->lower() + 0.5);
    EXPECT_EQ(to_theta(*one, {1, 0}), one->upper() - 0.5);
  }
}

TEST(Discrete, KnownProbabilities) {
  EXPECT_NEAR(std::exp(make(kSpecimens[0])->log_density(7)), 1.0 / 12, 1e-15);
  EXPECT_NEAR(std::exp(make(kSpecimens[2])->log_density(2)), 3.5 * 3.5 / 2 * std::exp(-3.5), 1e-12);
  EXPECT_NEAR(std::exp(make(kSpecimens[5])->log_density(0)), std::pow(0.8, 40), 1e-15);
  EXPECT_NEAR(std::exp(make(kSpecimens[6])->log_density(0)), 0.5, 1e-15);
  EXPECT_EQ(make(kSpecimens[6])->value_name(2), "blue");
  EXPECT_EQ(make(kSpecimens[0])->value_name(7), "7");
  EXPECT_EQ(to_json(make(kSpecimens[6])->spec()).at("names").at(1), "green");
}

TEST(Discrete, RefusesWhatIsNotAWholeNumber) {
  const auto refusal = [](const char* text) {
    return error_text([&] { make(text); }, ErrorKind::input);
  };
  EXPECT_TRUE(contains(refusal(R"({"kind":"integer","low":0.5,"high":3})"),
                       "prior.low = 0.5: must be a whole number"));
  EXPECT_TRUE(
      contains(refusal(R"({"kind":"integer","low":0,"high":5000})"), "must be at most 1000"));
  EXPECT_TRUE(contains(refusal(R"({"kind":"categorical","probabilities":[1,0]})"),
                       "prior.probabilities[1] = 0: must be greater than 0"));
  EXPECT_TRUE(contains(refusal(R"({"kind":"categorical","probabilities":[1,1],"names":["a"]})"),
                       "there are 1; must be 2"));
  EXPECT_TRUE(contains(refusal(R"({"kind":"categorical","probabilities":["a","b"]})"),
                       "probabilities: must be a list of numbers"));
  EXPECT_TRUE(
      contains(refusal(R"({"kind":"uniform","low":0,"high":["a"]})"), "must be one number"));
}

Prior numbers() {
  return Prior(
      {{"n", "", make(kSpecimens[0])}, {"a", "", make(R"({"kind":"uniform","low":0,"high":1})")}});
}

TEST(Discrete, RegionsHoldWholeValues) {
  const Prior prior = numbers();
  const Region region = region_from_theta(prior, {{2.5, 5}, {0, 1}});
  EXPECT_NEAR(region.axis_mass(0), 3.0 / 12, 1e-15);
  const Bounds hull = theta_hull(prior, region, 0);
  EXPECT_EQ(hull.low, 3);
  EXPECT_EQ(hull.high, 5);
  const TruncatedPrior truncated(prior, region);
  EXPECT_EQ(truncated.values_inside(0), (std::vector<double>{3, 4, 5}));
  std::map<double, int> counts;
  const PriorSamples draws = truncated.sample(3000, test::test_rng().child("whole"));
  for (Index i = 0; i < 3000; ++i) ++counts[draws.theta(i, 0)];
  ASSERT_EQ(counts.size(), 3u);
  for (const auto& [value, count] : counts) {
    EXPECT_NEAR(count, 1000, 4 * std::sqrt(3000 * (1.0 / 3) * (2.0 / 3))) << value;
  }
  for (double local = 0.01; local < 1; local += 0.02) {
    EXPECT_EQ(truncated.to_theta(0, local), 3 + std::floor(3 * local)) << local;
  }
  EXPECT_NEAR(truncated.to_local(0, 4), 0.5, 1e-12);
  EXPECT_NEAR(truncated.to_local(0, 4, 0.1), (1 + 0.1) / 3, 1e-12);
}

TEST(Discrete, RegionsOfAnyTwoValuesHaveTheseAsBounds) {
  for (const char* spec : kSpecimens) {
    SCOPED_TRACE(spec);
    const Prior prior({{"n", "", make(spec)}});
    const double lowest = prior[0].lower() + 0.5;
    for (double first = lowest; first < std::min(lowest + 12, prior[0].upper()); ++first) {
      for (double last = first; last < std::min(lowest + 12, prior[0].upper()); ++last) {
        const Region region = region_from_theta(prior, {{first, last}});
        EXPECT_EQ(theta_hull(prior, region, 0), (Bounds{first, last})) << first << " " << last;
        EXPECT_EQ(theta_bounds(prior, region, 0), (std::vector<Bounds>{{first, last}}));
      }
    }
  }
}

TEST(Discrete, CannotBeCorrelated) {
  const auto text = error_text(
      [] {
        Prior(numbers().parameters(), Copula(2, {{0, 1, 0.5}}));
      },
      ErrorKind::input);
  EXPECT_TRUE(contains(text, "'n' is discrete")) << text;
}

}  // namespace
}  // namespace hone
