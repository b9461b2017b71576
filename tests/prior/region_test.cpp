#include "hone/prior/region.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hone/core/error.h"
#include "hone/core/rng.h"
#include "store/test_files.h"

namespace hone {
namespace {

Prior normal_and_uniform() {
  return Prior({{"z", "", make_distribution({"normal", {{"mean", 0}, {"sigma", 1}}, {}})},
                {"w", "", make_distribution({"uniform", {{"low", -1}, {"high", 1}}, {}})}});
}

Interval between(double low, double high) {
  return {unit_point(low), unit_point(high)};
}

// Two intervals on the first axis, one on the second.
Region two_islands() {
  return Region({{between(0.6, 0.7), between(0.1, 0.3)}, {between(0.25, 0.75)}});
}

TEST(UnitPoint, IsOrderedWhereADoubleIsNot) {
  const UnitPoint a = unit_point_from_complement(2e-20);
  const UnitPoint b = unit_point_from_complement(1e-20);
  EXPECT_EQ(a.u, b.u);
  EXPECT_TRUE(a < b);
  EXPECT_FALSE(b < a);
  EXPECT_TRUE(unit_point(1e-20) < unit_point(2e-20));
  EXPECT_TRUE(unit_point(0.3) < a);
  EXPECT_DOUBLE_EQ(distance(a, b), 1e-20);
  EXPECT_DOUBLE_EQ(distance(unit_point(0.25), unit_point(0.75)), 0.5);
}

TEST(Region, TheWholePriorHasMassOne) {
  const Region whole = Region::whole(3);
  EXPECT_EQ(whole.mass(), 1);
  EXPECT_EQ(whole.log_mass(), 0);
  EXPECT_TRUE(whole.is_whole());
  EXPECT_FALSE(two_islands().is_whole());
}

TEST(Region, SortsAndJoinsIntervals) {
  const Region region({{between(0.5, 0.6), between(0.1, 0.2), between(0.2, 0.4)}});
  ASSERT_EQ(region.axis(0).size(), 2u);
  EXPECT_EQ(region.axis(0)[0], between(0.1, 0.4));
  EXPECT_EQ(region.axis(0)[1], between(0.5, 0.6));
  EXPECT_EQ(region.hull(0), between(0.1, 0.6));
  EXPECT_DOUBLE_EQ(region.axis_mass(0), 0.4);
}

TEST(Region, KnowsWhatItContains) {
  const Prior prior = normal_and_uniform();
  const Region region = two_islands();
  const double inside[] = {prior[0].quantile(0.2), 0.1};
  const double in_the_gap[] = {prior[0].quantile(0.5), 0.1};
  const double beside[] = {prior[0].quantile(0.2), 0.9};
  const double nowhere[] = {std::nan(""), 0.1};
  EXPECT_TRUE(region.contains(prior, inside));
  EXPECT_FALSE(region.contains(prior, in_the_gap));
  EXPECT_FALSE(region.contains(prior, beside));
  EXPECT_FALSE(region.contains(prior, nowhere));
  const double u[] = {0.65, 0.25};
  EXPECT_TRUE(region.contains_unit(u));
}

TEST(Region, TheWholePriorEndsAtItsSupport) {
  const Prior prior = normal_and_uniform();
  const double outside[] = {0, 1.5};
  const double at_the_end[] = {0, 1};
  EXPECT_FALSE(Region::whole(2).contains(prior, outside));
  EXPECT_TRUE(Region::whole(2).contains(prior, at_the_end));
}

TEST(Region, MassAgreesWithMonteCarlo) {
  const Prior prior = normal_and_uniform();
  const Region region = two_islands();
  EXPECT_DOUBLE_EQ(region.mass(), 0.3 * 0.5);
  Rng rng(11);
  const int draws = 100000;
  int hits = 0;
  for (int i = 0; i < draws; ++i) {
    const double theta[] = {rng.normal(), 2 * rng.uniform() - 1};
    hits += region.contains(prior, theta) ? 1 : 0;
  }
  const double fraction = static_cast<double>(hits) / draws;
  const double standard_error = std::sqrt(0.15 * 0.85 / draws);
  EXPECT_LT(std::abs(fraction - region.mass()), 4 * standard_error);
  EXPECT_GT(std::abs(fraction - 1.05 * region.mass()), 4 * standard_error);  // would be noticed
}

TEST(Region, MassIsExactEightAndThirtySigmaOut) {
  const Prior prior = normal_and_uniform();
  const double infinity = std::numeric_limits<double>::infinity();
  // Q(8) - Q(9) and Q(30), by mpmath.
  for (const double sign : {-1.0, 1.0}) {
    const auto bounds = [sign](double near, double far) {
      return sign > 0 ? Bounds{near, far} : Bounds{-far, -near};
    };
    const Region eight = region_from_theta(prior, {bounds(8, 9), {-1, 1}});
    EXPECT_NEAR(eight.mass() / 6.2198319858658303e-16, 1, 1e-12);
    const Region thirty = region_from_theta(prior, {bounds(30, infinity), {-2, 0}});
    EXPECT_NEAR(thirty.mass() / (0.5 * 4.9067139271481871e-198), 1, 1e-11);
    EXPECT_NEAR(thirty.log_mass(), std::log(thirty.mass()), 1e-9);
    EXPECT_NEAR(theta_hull(prior, eight, 0).low, bounds(8, 9).low, 1e-12);
    EXPECT_NEAR(theta_hull(prior, eight, 0).high, bounds(8, 9).high, 1e-12);
  }
}

TEST(Region, IntersectsAxisByAxis) {
  const Region other({{between(0.2, 0.65)}, {between(0, 0.5)}});
  const Region both = two_islands().intersect(other);
  EXPECT_EQ(both, Region({{between(0.2, 0.3), between(0.6, 0.65)}, {between(0.25, 0.5)}}));
  EXPECT_EQ(two_islands().intersect(Region::whole(2)), two_islands());
  const Region apart({{between(0.4, 0.5)}, {Interval{}}});
  EXPECT_EQ(error_text([&] { two_islands().intersect(apart); }, ErrorKind::numerical),
            "regions have nothing in common on axis 0");
}

TEST(Region, BoundsComeInUnitsOfTheParameter) {
  const std::vector<Bounds> bounds = theta_bounds(normal_and_uniform(), two_islands(), 1);
  ASSERT_EQ(bounds.size(), 1u);
  EXPECT_DOUBLE_EQ(bounds[0].low, -0.5);
  EXPECT_DOUBLE_EQ(bounds[0].high, 0.5);
  EXPECT_EQ(theta_bounds(normal_and_uniform(), two_islands(), 0).size(), 2u);
}

TEST(Region, SurvivesJsonBitForBit) {
  const Prior prior = normal_and_uniform();
  for (const Region& region :
       {Region::whole(2), two_islands(), region_from_theta(prior, {{8.1, 37}, {-1, 0.3}}),
        region_from_theta(prior, {{-37, -8.1}, {0.1, 0.1 + 1e-13}})}) {
    EXPECT_EQ(region_from_json(nlohmann::json::parse(to_json(region).dump())), region);
  }
}

TEST(Region, RefusesBrokenIntervals) {
  EXPECT_EQ(refusal([] { Region(std::vector<std::vector<Interval>>{}); }),
            "region: must have at least one axis");
  EXPECT_EQ(refusal([] { Region(std::vector<std::vector<Interval>>(1)); }),
            "region: axis 0 has no interval");
  for (const Interval& interval :
       {between(0.5, 0.5), between(0.7, 0.5), between(-0.1, 0.5), between(0.5, 1.1),
        Interval{{0.1, 0.1}, {0.5, 0.5}}, between(std::nan(""), 0.5)}) {
    refusal([&] { Region::box({interval}); });
  }
  EXPECT_EQ(refusal([] {
              region_from_theta(normal_and_uniform(), {{0, 1}, {2, 3}});
            }),
            "region: no prior mass of 'w' lies between 2 and 3");
  EXPECT_EQ(refusal([] {
              region_from_theta(normal_and_uniform(), {{0, 1}});
            }),
            "region: 1 bounds for 2 parameters; give one for each");
}

TEST(Region, RefusesBrokenJson) {
  for (const char* text :
       {"3", "{}", R"({"kind":"ball","axes":[]})", R"({"kind":"intervals","axes":3})",
        R"({"kind":"intervals","axes":[]})", R"({"kind":"intervals","axes":[3]})",
        R"({"kind":"intervals","axes":[[3]]})", R"({"kind":3,"axes":[[3]]})",
        R"({"kind":"intervals","axes":[[{"low":[0,1],"high":[1]}]]})",
        R"({"kind":"intervals","axes":[[{"low":[0,1],"high":["a",0]}]]})"}) {
    EXPECT_THROW(region_from_json(nlohmann::json::parse(text)), Error) << text;
  }
}

TEST(Region, PrintsForPeople) {
  EXPECT_EQ(to_string(two_islands()),
            "region of 2 parameters, prior mass 0.15\n"
            "  axis 0: mass 0.3, u in [0.1, 0.3] [0.6, 0.7]\n"
            "  axis 1: mass 0.5, u in [0.25, 0.75]\n");
  EXPECT_EQ(to_string(Region::box({between(0.5, 0.75)}),
                      Prior({{"w", "", normal_and_uniform().parameter(1).distribution}})),
            "region of 1 parameter, prior mass 0.25\n  w: mass 0.25, [0, 0.5]\n");
}

}  // namespace
}  // namespace hone
