// Quantities that are derived from parameters: names, axes and local coordinates.

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "files/test_files.h"
#include "hone/core/error.h"
#include "hone/prior/derived_axes.h"
#include "inference/support.h"

namespace hone {
namespace {

using test::kolmogorov, test::uniform_prior;

Prior with(const std::string& formula, double low = 0, double high = 1) {
  return uniform_prior(2, low, high).with_derived({{"q", "", formula}});
}

TruncatedPrior whole(const Prior& prior) {
  return {prior, Region::whole(prior.dimensions())};
}

TEST(Derived, QuantitiesComeAfterTheParameters) {
  const Prior prior = with("p0 * p1").with_derived({{"r", "R", "p0 / (1 + p1)"}});
  EXPECT_EQ(prior.dimensions(), 2);
  EXPECT_EQ(prior.names(), (std::vector<std::string>{"p0", "p1"}));
  EXPECT_EQ(prior.quantity_names(), (std::vector<std::string>{"p0", "p1", "q", "r"}));
  EXPECT_EQ(prior.quantity_labels(), (std::vector<std::string>{"p0", "p1", "q", "R"}));
  EXPECT_FALSE(prior.is_derived(Marginal{0, 1}));
  EXPECT_TRUE(prior.is_derived(Marginal{1, 2}));
  EXPECT_FALSE(prior == uniform_prior(2));
  EXPECT_EQ(derived_from_json(to_json(prior.derived())), prior.derived());
}

TEST(Derived, PairsOnACurveAreKnown) {
  const Prior prior = with("p0 ^ 2").with_derived({{"r", "", "1 + p0"}, {"s", "", "p0 + p1"}});
  EXPECT_TRUE(prior.is_curve(Marginal{0, 2}));
  EXPECT_TRUE(prior.is_curve(Marginal{2, 3}));
  EXPECT_FALSE(prior.is_curve(Marginal{1, 2}));
  EXPECT_FALSE(prior.is_curve(Marginal{0, 4}));
  EXPECT_FALSE(prior.is_curve(Marginal{0}));
}

TEST(Derived, NamesAndFormulasAreChecked) {
  const auto refusal = [](const std::string& name, const std::string& formula) {
    return error_text(
        [&] {
          uniform_prior(2).with_derived({{name, "", formula}});
        },
        ErrorKind::input);
  };
  EXPECT_TRUE(contains(refusal("p0", "p1 + p0"), "derived[0].name = 'p0': is the name of another"));
  EXPECT_TRUE(contains(refusal("a,b", "p1 + p0"), "derived[0].name = 'a,b': must not contain"));
  EXPECT_TRUE(contains(refusal("q", "p1 + p3"), "derived[0].value = 'p1 + p3', character 6"));
}

TEST(Derived, ATextGivesANameOrIsOne) {
  EXPECT_EQ(parse_derived("S8 = a * b"), (DerivedQuantity{"S8", "", "a * b"}));
  EXPECT_EQ(parse_derived(" a * b "), (DerivedQuantity{"a * b", "", "a * b"}));
  EXPECT_EQ(parse_derived("a >= b"), (DerivedQuantity{"a >= b", "", "a >= b"}));
  EXPECT_EQ(parse_derived("m = a == b"), (DerivedQuantity{"m", "", "a == b"}));
}

// P(a b < s) = s - s log s on the unit square.
TEST(Derived, TheAxisFollowsTheDistributionUnderThePrior) {
  const TruncatedPrior axes = with_derived_axes(whole(with("p0 * p1")));
  EXPECT_EQ(axes.dimensions(), 3);
  for (const double s : {0.001, 0.01, 0.1, 0.3, 0.7, 0.95}) {
    EXPECT_NEAR(axes.prior()[2].cdf(s), s - s * std::log(s), 0.01) << s;
  }
  EXPECT_GT(std::abs(axes.prior()[2].cdf(0.3) - 0.3), 0.1);  // no uniform one would pass
}

// u must be the probability also far out, where most of the range of a quantity can lie.
void expect_coordinates(const TruncatedPrior& axes, const std::function<double(double)>& quantile) {
  const Distribution& axis = axes.prior()[axes.dimensions() - 1];
  for (const double p : {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.98, 0.99, 0.993,
                         0.995, 0.997, 0.999}) {
    EXPECT_NEAR(axis.cdf(quantile(p)), p, std::min(0.005, 0.3 * std::min(p, 1 - p))) << p;
  }
}

TEST(Derived, TheCoordinateFollowsTheMassIntoLongTails) {
  const DistributionPointer normal =
      make_distribution({.kind = "normal", .numbers = {{"mean", 0}, {"sigma", 1}}, .arrays = {}});
  const Prior logarithm = Prior({{"a", "", normal}}).with_derived({{"q", "", "exp(a)"}});
  expect_coordinates(with_derived_axes(whole(logarithm)),
                     [&](double p) { return std::exp(normal->quantile(p)); });
  // P(a / b < q) = q / 2 below 1, and 1 - 1 / (2 q) above.
  expect_coordinates(with_derived_axes(whole(with("p0 / p1"))),
                     [](double p) { return p < 0.5 ? 2 * p : 0.5 / (1 - p); });
  expect_coordinates(with_derived_axes(whole(with("-p1 / p0"))),
                     [](double p) { return p > 0.5 ? -2 * (1 - p) : -0.5 / p; });
  expect_coordinates(with_derived_axes(whole(with("p0 + 3"))), [](double p) { return p + 3; });
}

TEST(Derived, LocalCoordinatesAreUniformInARegionOfAnyShape) {
  const Prior prior = with("p0 - exp(p1)");
  Region region = region_from_theta(prior, {{0.2, 0.5}, {0.6, 0.9}});
  const TruncatedPrior parameters(prior, region);
  const TruncatedPrior axes = with_derived_axes(parameters);
  const PriorSamples draws = parameters.sample(4000, test::test_rng().child("derived"));
  Matrix<double> local(4000, 2);
  parameters.to_local(local, draws.theta);
  const Matrix<double> all = with_derived_columns(parameters, axes, local);
  EXPECT_EQ(test::column(all, 0), test::column(local, 0));
  const auto even = [](double u) { return u; };
  EXPECT_LT(kolmogorov(test::column(all, 2), even), 2.2);
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(axes.to_theta(2, all(i, 2)), draws.theta(i, 0) - std::exp(draws.theta(i, 1)), 1e-9);
  }
  // The axis of the whole prior is another one.
  const TruncatedPrior other = with_derived_axes(whole(prior));
  EXPECT_GT(kolmogorov(test::column(with_derived_columns(parameters, other, local), 2), even), 10);
}

TEST(Derived, ValuesMustBeFiniteAndSmooth) {
  const auto refusal = [](const Prior& prior) {
    return error_text([&] { check_derived(prior); }, ErrorKind::input);
  };
  const std::string negative = refusal(with("log(p0)", -1, 1));
  EXPECT_TRUE(contains(negative, "derived[0].value = 'log(p0)': is")) << negative;
  EXPECT_TRUE(contains(negative, "where p0 = -")) << negative;
  EXPECT_TRUE(contains(negative, "such as log(a + 4) instead of log(a)")) << negative;
  // What the advice says works.
  EXPECT_NO_THROW(check_derived(with("log(p0 + 4)", -1, 1)));
  // Neither order hides what does not exist.
  EXPECT_TRUE(contains(refusal(with("max(-9, log(p0))", -1, 1)), "not finite"));
  EXPECT_TRUE(contains(refusal(with("max(log(p0), -9)", -1, 1)), "not finite"));
  EXPECT_TRUE(contains(refusal(with("max(p0, 0.5)")), "is exactly 0.5"))
      << refusal(with("max(p0, 0.5)"));
  EXPECT_TRUE(contains(refusal(with("p0 > p1")), "is exactly"));
  EXPECT_NO_THROW(check_derived(with("p0 / (p1 + 0.001)")));
  EXPECT_NO_THROW(check_derived(uniform_prior(2)));
}

}  // namespace
}  // namespace hone
