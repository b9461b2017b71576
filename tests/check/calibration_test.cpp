// Coverage, SBC, TARP and local C2ST on posteriors that are right, too narrow, too wide, shifted,
// or miss a mode. benchmarks/check_power.cpp has the powers for more cases; these are a part of
// them.
#include <gtest/gtest.h>

#include "check/known_posteriors.h"
#include "hone/check/proportion.h"
#include "inference/support.h"

namespace hone {
namespace {

using test::known_draws;

struct Flags {
  Index coverage = 0, sbc = 0, tarp = 0, local = 0;
};

Flags count_flags(Fault fault, Index draws, Index marginals, Index cases) {
  Flags flags;
  const EcdfBands bands = bands_for(marginals, draws);
  for (Index i = 0; i < cases; ++i) {
    const auto known = known_draws(fault, draws, marginals,
                                   test::test_rng().child("case", static_cast<std::uint64_t>(i)));
    flags.coverage += check_coverage(known.credibility).result.status != Status::pass;
    flags.sbc += sbc_result(ecdf_curves(known.cdf, bands)).status != Status::pass;
    flags.tarp += tarp_result(ecdf_curves(known.nearer, bands)).status != Status::pass;
    flags.local += local_c2st_result(local_c2st(known.local)).status != Status::pass;
  }
  return flags;
}

TEST(Calibration, RightPosteriorsAreFlaggedNoMoreOftenThanStated) {
  // 200 right cases at 1 %: more than 8 has a probability below 1e-4.
  for (const auto& [draws, marginals] : {std::pair<Index, Index>{100, 10}, {1000, 3}}) {
    const Flags flags = count_flags(Fault::none, draws, marginals, 200);
    EXPECT_LE(flags.coverage, 8) << draws;
    EXPECT_LE(flags.sbc, 8) << draws;
    EXPECT_LE(flags.tarp, 8) << draws;
    EXPECT_LE(flags.local, 8) << draws;
  }
}

TEST(Calibration, CoverageFindsEveryFaultThatChangesWidths) {
  EXPECT_GE(count_flags(Fault::narrow, 1000, 3, 50).coverage, 45);
  EXPECT_GE(count_flags(Fault::wide, 1000, 3, 50).coverage, 45);
  EXPECT_EQ(count_flags(Fault::one_mode, 100, 3, 50).coverage, 50);
}

TEST(Calibration, SbcFindsShiftsAndMissingModes) {
  EXPECT_EQ(count_flags(Fault::shifted, 1000, 3, 50).sbc, 50);
  EXPECT_EQ(count_flags(Fault::one_mode, 100, 3, 50).sbc, 50);
}

TEST(Calibration, TarpFindsShiftsAndMissingModes) {
  EXPECT_EQ(count_flags(Fault::shifted, 1000, 3, 50).tarp, 50);
  EXPECT_EQ(count_flags(Fault::one_mode, 100, 3, 50).tarp, 50);
}

TEST(Calibration, LocalC2stFindsShiftsAndMissingModes) {
  EXPECT_GE(count_flags(Fault::shifted, 1000, 3, 50).local, 45);
  EXPECT_EQ(count_flags(Fault::one_mode, 1000, 3, 50).local, 50);
}

TEST(Calibration, LocalC2stSeesAFaultThatIsOnlyAtTheObservation) {
  // The larger a posterior's mean, the more it is shifted, to either side: right on average, wrong
  // at an observation with a large mean.
  auto known = known_draws(Fault::none, 4000, 1, test::test_rng());
  Rng rng = test::test_rng().child("local");
  for (std::size_t i = 0; i < known.cdf[0].values.size(); ++i) {
    const double z = rng.normal() + 0.2 * known.local[0].mean[i];
    known.local[0].cdf[i] = known.cdf[0].values[i] = test::cdf_of(z);
  }
  EXPECT_EQ(sbc_result(ecdf_curves(known.cdf)).status, Status::pass);
  known.local[0].observed_mean = 2.5;
  EXPECT_NE(local_c2st(known.local)[0].status, Status::pass);
  known.local[0].observed_mean = 0;
  EXPECT_EQ(local_c2st(known.local)[0].status, Status::pass);
}

TEST(Calibration, CoverageSaysHowMuchTooNarrowAndInWhichDirection) {
  const auto narrow =
      check_coverage(known_draws(Fault::narrow, 10000, 1, test::test_rng()).credibility);
  EXPECT_NEAR(narrow.marginals[0].width_error, 1 / 0.9 - 1, 4 / std::sqrt(2 * 1e4));
  EXPECT_NEAR(narrow.marginals[0].levels[0].empirical, level_of_z(0.9), 4 * 0.0048);
  EXPECT_NEAR(narrow.marginals[0].levels[1].z_empirical, 1.8, 0.1);
  EXPECT_EQ(narrow.result.status, Status::caution);
  EXPECT_NE(narrow.result.reason.find("overconfident"), std::string::npos);
  const auto wide =
      check_coverage(known_draws(Fault::wide, 10000, 1, test::test_rng()).credibility);
  EXPECT_EQ(wide.result.status, Status::caution);
  EXPECT_NE(wide.result.reason.find("wider"), std::string::npos);
  const auto lost =
      check_coverage(known_draws(Fault::one_mode, 1000, 1, test::test_rng()).credibility);
  EXPECT_EQ(lost.result.status, Status::fail);
}

TEST(Calibration, SmallFaultsDoNotMatterHoweverManyDraws) {
  std::vector<double> credibility;
  Rng rng = test::test_rng();
  credibility.reserve(200000);
  for (int i = 0; i < 200000; ++i) credibility.push_back(test::credibility_of(rng.normal() * 1.02));
  const auto check = check_coverage({{"a", 1, credibility}});
  EXPECT_LT(check.marginals[0].probability, 1e-4);  // seen
  EXPECT_EQ(check.result.status, Status::pass);     // and within the limits
}

TEST(Calibration, OneBadMarginalOfFiftyFiveIsFound) {
  Index found = 0;
  for (std::uint64_t i = 0; i < 20; ++i) {
    auto known = known_draws(Fault::none, 2000, 55, test::test_rng().child("many", i));
    known.credibility[17] =
        known_draws(Fault::narrow, 2000, 1, test::test_rng().child("bad", i)).credibility[0];
    const auto check = check_coverage(known.credibility);
    found += check.marginals[17].status != Status::pass;
  }
  EXPECT_GE(found, 18);
}

TEST(Calibration, TooFewDrawsAreUnclearNotAPass) {
  const auto known = known_draws(Fault::none, 20, 2, test::test_rng());
  EXPECT_EQ(check_coverage(known.credibility).result.status, Status::unclear);
  EXPECT_TRUE(ecdf_curves(known.cdf).empty());
}

TEST(Bands, HoldTheWholeCurveWithTheStatedProbability) {
  for (const Index draws : {100, 1000}) {
    const EcdfBands bands = simultaneous_bands(draws, 0.9);
    EXPECT_GE(bands.probability, 0.9);
    EXPECT_LT(bands.probability, 0.93);
    int inside = 0;
    constexpr int kCases = 2000;
    for (std::uint64_t c = 0; c < kCases; ++c) {
      Rng rng = test::test_rng().child("bands", c);
      std::vector<Index> counts(bands.at.size() + 1, 0);
      for (Index i = 0; i < draws; ++i) {
        ++counts[static_cast<std::size_t>(rng.uniform() * double(counts.size()))];
      }
      bool good = true;
      double below = 0;
      for (std::size_t k = 0; k < bands.at.size(); ++k) {
        below += double(counts[k]) / double(draws);
        good &= below >= bands.low[k] - 1e-9 && below <= bands.high[k] + 1e-9;
      }
      inside += good;
    }
    const double error = 4 * std::sqrt(0.09 / kCases);
    EXPECT_NEAR(inside / double(kCases), bands.probability, error) << draws;
  }
}

TEST(Proportion, JeffreysIntervalsAndTailsHaveTheirKnownValues) {
  // Quantiles of Beta(8.5, 2.5) by numerical integration, and Binomial(10, 0.7) from a table.
  const auto [low, high] = jeffreys_interval(8, 10, 0.95);
  EXPECT_NEAR(low, 0.49723, 1e-4);
  EXPECT_NEAR(high, 0.95594, 1e-4);
  EXPECT_EQ(jeffreys_interval(0, 10, 0.95).first, 0);
  EXPECT_EQ(jeffreys_interval(10, 10, 0.95).second, 1);
  EXPECT_NEAR(probability_at_least(8, 10, 0.7), 0.38278, 1e-5);
  EXPECT_NEAR(probability_at_most(7, 10, 0.7), 1 - 0.38278, 1e-5);
  EXPECT_NEAR(level_of_z(2), 0.9545, 1e-4);
  EXPECT_NEAR(z_of_level(level_of_z(2.5)), 2.5, 1e-12);
}

}  // namespace
}  // namespace hone
