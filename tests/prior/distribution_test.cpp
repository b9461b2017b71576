#include "hone/prior/distribution.h"

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "prior/reference_values.h"

namespace hone {
namespace {

DistributionPointer make(const char* text) {
  return make_distribution(distribution_spec_from_json(nlohmann::json::parse(text)));
}

double relative_error(double value, double exact) {
  return value == exact ? 0 : std::abs(value / exact - 1);
}

// One of each kind, and the shapes that are hard.
const std::vector<const char*>& specimens() {
  static const std::vector<const char*> specs = {
      R"({"kind":"uniform","low":0,"high":4})",
      R"({"kind":"loguniform","low":1e-3,"high":1e3})",
      R"({"kind":"loguniform","low":1e-300,"high":1e300})",
      R"({"kind":"triangular","low":0,"mode":1.5,"high":3})",
      R"({"kind":"triangular","low":0,"mode":0,"high":3})",
      R"({"kind":"triangular","low":0,"mode":1e74,"high":1e75})",
      R"({"kind":"normal","mean":0,"sigma":1.5})",
      R"({"kind":"lognormal","mean":0.2,"sigma":0.8})",
      R"({"kind":"half_normal","sigma":2})",
      R"({"kind":"truncated_normal","mean":0,"sigma":1,"low":-2,"high":3})",
      R"({"kind":"truncated_normal","mean":0,"sigma":1,"low":8,"high":9})",
      R"({"kind":"truncated_normal","mean":0,"sigma":1,"low":30})",
      R"({"kind":"truncated_normal","mean":0,"sigma":1,"low":-60,"high":-30})",
      R"({"kind":"truncated_normal","mean":5,"sigma":1,"low":0})",
      R"({"kind":"truncated_normal","mean":0,"sigma":1,"high":1})",
      R"({"kind":"truncated_normal","mean":0,"sigma":1,"low":0,"high":1e-7})",
      R"({"kind":"truncated_normal","mean":0,"sigma":1,"low":-1e10,"high":1e12})",
      R"({"kind":"truncated_normal","mean":0,"sigma":1,"low":-1e10,"high":-30})",
      R"({"kind":"beta","alpha":2,"beta":5})",
      R"({"kind":"beta","alpha":0.5,"beta":0.5})",
      R"({"kind":"gamma","shape":2.5,"scale":3})",
      R"({"kind":"gamma","shape":400,"scale":0.5})",
      R"({"kind":"exponential","scale":0.25})",
      R"({"kind":"student_t","degrees_of_freedom":3})",
      R"({"kind":"student_t","degrees_of_freedom":1,"scale":2})",
      R"({"kind":"tabulated","x":[0,1,2,4],"density":[0,2,1,0]})",
      R"({"kind":"tabulated","x":[0,1,2,4],"density":[3,0,0,5]})",
  };
  return specs;
}

TEST(Distribution, AgreesWithIndependentValuesIntoTheFarTails) {
  for (const ReferenceValue& exact : kReferenceValues) {
    SCOPED_TRACE(fmt::format("{} at {}", exact.spec, exact.x));
    const DistributionPointer distribution = make(exact.spec);
    EXPECT_NEAR(distribution->log_density(exact.x), exact.log_density,
                2e-12 * std::max(1.0, std::abs(exact.log_density)));
    // Relative: a tail of 1e-177 has its digits too. x^2 / 2 amplifies rounding of x by up to 1e3.
    EXPECT_LT(relative_error(distribution->cdf(exact.x), exact.cdf), 1e-12);
    EXPECT_LT(relative_error(distribution->cdf_complement(exact.x), exact.cdf_complement), 1e-12);
  }
}

TEST(Distribution, QuantileInvertsTheCdfInBothTails) {
  for (const char* spec : specimens()) {
    const DistributionPointer distribution = make(spec);
    for (const double p : {1e-300, 1e-100, 1e-30, 1e-15, 1e-9, 1e-3, 0.1, 0.3, 0.5}) {
      SCOPED_TRACE(fmt::format("{} at p = {}", spec, p));
      const double low = distribution->quantile(p);
      const double high = distribution->quantile_complement(p);
      // x is a double: the cdf moves in steps as x does.
      const auto resolution = [&](double x) {
        const double spacing = std::abs(x) * 4e-16 + std::numeric_limits<double>::min();
        return std::max(std::abs(distribution->cdf(x + spacing) - distribution->cdf(x - spacing)),
                        std::abs(distribution->cdf_complement(x + spacing) -
                                 distribution->cdf_complement(x - spacing))) +
               1e-12 * p;
      };
      EXPECT_NEAR(distribution->cdf(low), p, resolution(low));
      EXPECT_NEAR(distribution->cdf_complement(high), p, resolution(high));
    }
  }
}

TEST(Distribution, QuantilesMeetInTheMiddleAndAtTheEnds) {
  for (const char* spec : specimens()) {
    SCOPED_TRACE(spec);
    const DistributionPointer distribution = make(spec);
    EXPECT_EQ(distribution->quantile(0), distribution->lower());
    EXPECT_EQ(distribution->quantile(1), distribution->upper());
    EXPECT_EQ(distribution->quantile_complement(0), distribution->upper());
    EXPECT_EQ(distribution->quantile_complement(1), distribution->lower());
    EXPECT_EQ(distribution->quantile(0.75), distribution->quantile_complement(0.25));
    EXPECT_TRUE(std::isnan(distribution->quantile(-0.1)));
    EXPECT_TRUE(std::isnan(distribution->quantile_complement(1.1)));
    double last = distribution->lower();
    for (int i = 1; i < 200; ++i) {
      const double x = distribution->quantile(i / 200.0);
      EXPECT_GE(x, last);
      last = x;
    }
  }
}

TEST(Distribution, CdfAndComplementAddUpToOne) {
  for (const char* spec : specimens()) {
    const DistributionPointer distribution = make(spec);
    for (int i = 1; i < 100; ++i) {
      const double x = distribution->quantile(i / 100.0);
      EXPECT_NEAR(distribution->cdf(x) + distribution->cdf_complement(x), 1, 4e-15) << spec;
    }
  }
}

TEST(Distribution, DensityIsTheDerivativeOfTheCdf) {
  for (const char* spec : specimens()) {
    const DistributionPointer distribution = make(spec);
    for (int i = 1; i < 20; ++i) {
      const double p = i / 20.0 + 0.003;  // off the corners of the tabulated and triangular ones
      if (p >= 1) continue;
      SCOPED_TRACE(fmt::format("{} at p = {}", spec, p));
      // Central difference between nearby quantiles, with the step in units of probability.
      const double left = distribution->quantile(p - 1e-6);
      const double right = distribution->quantile(p + 1e-6);
      const double slope = (distribution->cdf(right) - distribution->cdf(left)) / (right - left);
      const double middle = 0.5 * (left + right);
      EXPECT_NEAR(std::exp(distribution->log_density(middle)) / slope, 1, 1e-5);
    }
  }
}

TEST(Distribution, DensityVanishesOutsideTheSupport) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const char* spec : specimens()) {
    SCOPED_TRACE(spec);
    const DistributionPointer distribution = make(spec);
    for (const double x : {std::nextafter(distribution->lower(), -infinity),
                           std::nextafter(distribution->upper(), infinity)}) {
      if (x >= distribution->lower() && x <= distribution->upper() && std::isfinite(x)) continue;
      EXPECT_EQ(distribution->log_density(x), -infinity);
    }
    EXPECT_EQ(distribution->cdf(-infinity), 0);
    EXPECT_EQ(distribution->cdf(infinity), 1);
    EXPECT_EQ(distribution->cdf_complement(-infinity), 1);
    EXPECT_EQ(distribution->cdf_complement(infinity), 0);
  }
}

TEST(Distribution, StandardisesTheFarTailsOfANormal) {
  const DistributionPointer normal = make(R"({"kind":"normal","mean":0,"sigma":1})");
  // From tables: Q(8) = 6.22096e-16; its quantile comes back although 1 - Q(8) has no digits.
  EXPECT_LT(relative_error(normal->cdf_complement(8), 6.220960574271785e-16), 1e-13);
  EXPECT_NEAR(normal->quantile_complement(6.220960574271785e-16), 8, 1e-13);
  EXPECT_LT(relative_error(normal->cdf(-37), 5.725571222524577e-300), 1e-11);
}

TEST(Distribution, TabulatedSupportStopsWhereTheDensityDoes) {
  const DistributionPointer tabulated =
      make(R"({"kind":"tabulated","x":[0,1,2,3,4,5],"density":[0,0,1,1,0,0]})");
  EXPECT_EQ(tabulated->lower(), 1);
  EXPECT_EQ(tabulated->upper(), 4);
  EXPECT_DOUBLE_EQ(tabulated->cdf(2), 0.25);
  EXPECT_DOUBLE_EQ(tabulated->quantile(0.5), 2.5);
}

TEST(Distribution, EveryKindHasASpecimenHereAndADescription) {
  std::set<std::string> tested;
  for (const char* spec : specimens()) tested.insert(make(spec)->kind());
  tested.insert({"integer", "poisson", "binomial", "categorical"});  // discrete_test.cpp
  for (const DistributionKind& kind : distribution_kinds()) {
    EXPECT_TRUE(tested.contains(std::string(kind.name))) << kind.name;
    EXPECT_FALSE(kind.description.empty());
    for (const DistributionField& field : kind.fields) EXPECT_FALSE(field.description.empty());
  }
}

}  // namespace
}  // namespace hone
