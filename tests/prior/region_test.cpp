#include "hone/prior/region.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "files/test_files.h"
#include "hone/core/error.h"
#include "hone/core/rng.h"
#include "hone/prior/half_spaces.h"

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

ConstraintPointer half_space(std::vector<double> coefficients, double limit) {
  return std::make_shared<const HalfSpaces>(
      std::vector<HalfSpaces::Condition>{{std::move(coefficients), limit}});
}

// u0 + u1 <= 1: half of the square.
Region triangle() {
  return Region::whole(2).constrained(half_space({1, 1}, 1));
}

double acceptance_error(double part) {
  return std::sqrt(part * (1 - part) / Region::kAcceptancePoints);
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

TEST(ConstrainedRegion, KnowsWhatItContains) {
  const Prior prior = normal_and_uniform();
  const double inside[] = {prior[0].quantile(0.3), -0.4};    // u1 = 0.3
  const double outside[] = {prior[0].quantile(0.3), 0.6};    // u1 = 0.8
  const double no_prior[] = {prior[0].quantile(0.3), -1.5};  // not in the support
  EXPECT_TRUE(triangle().contains(prior, inside));
  EXPECT_FALSE(triangle().contains(prior, outside));
  EXPECT_FALSE(triangle().contains(prior, no_prior));
  EXPECT_TRUE(Region::whole(2).contains(prior, outside));
  EXPECT_TRUE(triangle().contains_unit(std::vector{0.25, 0.75}));
  EXPECT_FALSE(triangle().contains_unit(std::vector{0.3, 0.75}));
  EXPECT_FALSE(triangle().is_whole());
}

TEST(ConstrainedRegion, MassIsThatOfTheShape) {
  EXPECT_LT(std::abs(triangle().mass() - 0.5), 4 * acceptance_error(0.5));
  EXPECT_GT(std::abs(triangle().mass() - 0.52), 4 * acceptance_error(0.5));  // would be noticed
  EXPECT_NEAR(triangle().log_mass(), std::log(triangle().mass()), 1e-12);
  // u0 + u1 + u2 <= 1 has 1/6 of the cube.
  const Region simplex = Region::whole(3).constrained(half_space({1, 1, 1}, 1));
  EXPECT_LT(std::abs(simplex.mass() - 1.0 / 6), 4 * acceptance_error(1.0 / 6));
  // In [0, 0.5] x [0.5, 1] the line is the diagonal; with a gap it is not.
  const Region corner = Region::box({between(0, 0.5), between(0.5, 1)});
  EXPECT_LT(std::abs(corner.constrained(half_space({1, 1}, 1)).mass() - 0.125),
            4 * 0.25 * acceptance_error(0.5));
  EXPECT_EQ(triangle().axis_mass(0), 1);  // of the intervals around it
  EXPECT_EQ(Region::whole(2).acceptance(), 1);
}

TEST(ConstrainedRegion, IntersectionsHaveAllConstraints) {
  const Region other =
      Region::box({between(0, 0.5), Interval{}}).constrained(half_space({-1, 1}, 0));  // u1 <= u0
  const Region both = triangle().intersect(other);
  EXPECT_EQ(both, other.intersect(triangle()));
  EXPECT_EQ(both.hull(0), between(0, 0.5));
  EXPECT_TRUE(both.contains_unit(std::vector{0.4, 0.3}));
  EXPECT_FALSE(both.contains_unit(std::vector{0.4, 0.5}));
  EXPECT_LT(std::abs(both.mass() - 0.125), 4 * 0.5 * acceptance_error(0.25));
  EXPECT_EQ(both.intersect(triangle()), both);
  EXPECT_EQ(triangle().intersect(Region::whole(2)), triangle());
  EXPECT_NE(triangle(), Region::whole(2));
  EXPECT_NE(triangle(), Region::whole(2).constrained(half_space({1, 1}, 1.1)));
  const Region apart = Region::whole(2).constrained(half_space({-1, -1}, -1.01));
  EXPECT_NE(error_text([&] { triangle().intersect(apart); }, ErrorKind::numerical)
                .find("too little to draw from"),
            std::string::npos);
}

TEST(ConstrainedRegion, SurvivesJsonBitForBit) {
  const Region one = two_islands().constrained(half_space({1.0 / 3, -0.1}, 0.1 + 1e-16));
  for (const Region& region : {triangle(), one, one.intersect(triangle())}) {
    const Region back = region_from_json(nlohmann::json::parse(to_json(region).dump()));
    EXPECT_EQ(back, region);
    EXPECT_EQ(back.mass(), region.mass());
  }
  EXPECT_EQ(to_json(triangle())["kind"], "constrained");
  EXPECT_EQ(to_json(triangle())["constraint"]["kind"], "half_spaces");
  EXPECT_EQ(to_json(one.intersect(triangle()))["constraint"]["kind"], "all_of");
  EXPECT_EQ(to_json(Region::whole(2))["kind"], "intervals");
  EXPECT_FALSE(to_json(Region::whole(2)).contains("constraint"));
}

TEST(ConstrainedRegion, RefusesBrokenJson) {
  const std::string half =
      R"({"kind":"half_spaces","conditions":[{"coefficients":[1,1],"limit":1}]})";
  nlohmann::json good = to_json(triangle());
  for (const std::string& text :
       {std::string("3"), std::string("{}"), std::string("null"),
        std::string(R"({"kind":"ball","radius":1})"), std::string(R"({"kind":7})"),
        std::string(R"({"kind":"half_spaces"})"),
        std::string(R"({"kind":"half_spaces","conditions":[]})"),
        std::string(R"({"kind":"half_spaces","conditions":[1]})"),
        std::string(R"({"kind":"half_spaces","conditions":[{"coefficients":[1],"limit":1}]})"),
        std::string(R"({"kind":"half_spaces","conditions":[{"coefficients":[1,"a"],"limit":1}]})"),
        std::string(R"({"kind":"half_spaces","conditions":[{"coefficients":[1,1]}]})"),
        std::string(R"({"kind":"half_spaces","conditions":[{"coefficients":[1,1],"limit":null}]})"),
        std::string(R"({"kind":"all_of"})"), std::string(R"({"kind":"all_of","parts":[]})"),
        std::string(R"({"kind":"all_of","parts":[{"kind":"all_of","parts":[)") + half + "]}]}"}) {
    good["constraint"] = nlohmann::json::parse(text);
    EXPECT_THROW(region_from_json(good), Error) << text;
  }
  good["constraint"] = nlohmann::json::parse(half);
  EXPECT_EQ(region_from_json(good), triangle());
  good["kind"] = "intervals";
  EXPECT_EQ(refusal([&] { region_from_json(good); }),
            "region.constraint: belongs to the kind 'constrained', and to no other");
  good.erase("constraint");
  good["kind"] = "constrained";
  EXPECT_THROW(region_from_json(good), Error);
}

TEST(ConstrainedRegion, RefusesBrokenConditions) {
  EXPECT_THROW(HalfSpaces({}), Error);
  EXPECT_THROW(half_space({}, 1), Error);
  EXPECT_THROW(half_space({1, std::nan("")}, 1), Error);
  EXPECT_THROW(half_space({1, 1}, HUGE_VAL), Error);
  EXPECT_EQ(refusal([] {
              Region::whole(3).constrained(half_space({1, 1}, 1));
            }),
            "region: a constraint of 2 parameters in a region of 3");
}

TEST(ConstrainedRegion, PrintsForPeople) {
  const Region region = Region::whole(2).constrained(half_space({-1, 2.5}, 3));
  EXPECT_EQ(to_string(region, normal_and_uniform()),
            "region of 2 parameters, prior mass 1\n"
            "  z: mass 1, [-inf, inf]\n"
            "  w: mass 1, [-1, 1]\n"
            "  where -u(z) + 2.5 u(w) <= 3 (a part of 1 of the above)\n");
  EXPECT_NE(to_string(triangle()).find("where u(0) + u(1) <= 1"), std::string::npos);
}

}  // namespace
}  // namespace hone
