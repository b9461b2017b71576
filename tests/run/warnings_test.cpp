// Each warning is raised by a result that deserves it, and by no other.

#include "hone/run/warnings.h"

#include <gtest/gtest.h>

#include "hone/estimate/ratio_estimator.h"
#include "inference/support.h"

namespace hone {
namespace {

const Region kCut = Region::box({{unit_point(0.2), unit_point(0.7)}, {}});

// Two rounds that converged, 5,000 simulations in a region that is cut on the first axis.
struct Case {
  InferenceResult result;
  std::vector<ParameterSummary> parameters;
  Index failed = 0;

  Case()
      : result{.posterior = {std::make_shared<RatioEstimator>(
                                 TruncatedPrior(test::uniform_prior(2), kCut),
                                 std::vector<Marginal>{{0}, {1}}, 1,
                                 RatioStack({{{0}, 0}, {{1}, 0}}, {.hidden = 8, .depth = 1}, {},
                                            Standardizer{{0, 0}, {1, 1}},
                                            Standardizer{{0, 0}, {1, 1}}),
                                 std::vector<double>{1, 1}),
                             std::vector<MemberHistory>(2)},
               .rounds = {},
               .region = kCut,
               .rows = 5000,
               .converged = true} {
    const auto cut = [](const Region& region, double ratio) {
      return Cut{region, ratio, {ratio, 1}, {0, 0}, {0, 0}, {0, 0}};
    };
    result.rounds = {{1, Region::whole(2), 0, 3000, cut(kCut, 0.5), {}},
                     {2, kCut, 1500, 1500, cut(kCut, 0.9), {}}};
    for (const char* name : {"p0", "p1"}) {
      parameters.push_back({.name = name,
                            .mean = 0.4,
                            .deviation = 0.1,
                            .median = 0.4,
                            .ensemble_error = 0.01,
                            .interval68 = {{0.3, 0.5}},
                            .interval95 = {{0.2, 0.6}},
                            .edge_low = 1e-6,
                            .edge_high = 1e-6});
    }
  }

  const std::vector<double> observation{0.5, 0.5};

  std::string kinds() const {
    std::string text;
    for (const Warning& w : find_warnings(result, parameters, failed, observation)) {
      EXPECT_FALSE(w.message.empty() || w.advice.empty()) << w.kind;
      text += w.kind + " ";
    }
    return text;
  }
  std::string message() const {
    const auto warnings = find_warnings(result, parameters, failed, observation);
    return warnings.empty() ? "" : warnings[0].message;
  }
};

TEST(Warnings, AreNotRaisedByAGoodResult) {
  EXPECT_EQ(Case().kinds(), "");
}

TEST(Warnings, NameTheEdgeThatThePosteriorTouches) {
  Case touches;
  touches.parameters[0].edge_high = 0.2;
  EXPECT_EQ(touches.kinds(), "edge ");
  EXPECT_TRUE(contains(touches.message(), "p0 touches the upper edge")) << touches.message();
  touches.parameters[0].edge_low = 0.2;
  EXPECT_EQ(touches.kinds(), "edge edge ");
}

TEST(Warnings, AreNotRaisedByTheEdgeOfThePriorItself) {
  Case touches;
  touches.parameters[1].edge_high = touches.parameters[1].edge_low = 0.9;
  EXPECT_EQ(touches.kinds(), "");
}

TEST(Warnings, SayWhetherRoundsOrBudgetRanOut) {
  Case shrinking;
  shrinking.result.converged = false;
  EXPECT_EQ(shrinking.kinds(), "not_converged ");
  EXPECT_EQ(
      shrinking.message(),
      "the rounds ran out before the region stopped shrinking: the last cut would keep 0.9 of "
      "its prior mass");
  shrinking.result.budget_spent = true;
  shrinking.result.rounds.back().region = Region::whole(2);
  EXPECT_EQ(shrinking.message(),
            "the budget ran out before the region stopped shrinking: the last cut kept 0.9 of its "
            "prior mass");
}

TEST(Warnings, SayThatTheRegionDidNotShrink) {
  Case flat;
  flat.result.rounds.pop_back();
  flat.result.rounds[0].cut.mass_ratio = 0.99;
  EXPECT_EQ(flat.kinds(), "") << "of a method that looks for no cut";
  flat.result.rounds[0].cut.curves = {{{0.5}, {0}}, {{0.5}, {0}}};
  EXPECT_EQ(flat.kinds(), "no_truncation ");
  flat.result.rounds[0].cut.mass_ratio = 0.85;
  EXPECT_EQ(flat.kinds(), "");
  flat.result.rounds.clear();  // as those of a method without rounds are
  EXPECT_EQ(flat.kinds(), "");
}

TEST(Warnings, SayThatNetworksDisagree) {
  Case apart;
  apart.parameters[1].ensemble_error = 0.05;
  EXPECT_EQ(apart.kinds(), "ensemble ");
  EXPECT_TRUE(contains(apart.message(), "p1")) << apart.message();
}

TEST(Warnings, CountFewSimulationsFailedOnesAndDivergedNetworks) {
  Case few;
  few.result.rows = 120;
  EXPECT_EQ(few.kinds(), "few_simulations ");
  EXPECT_TRUE(contains(few.message(), "only 120")) << few.message();
  Case failed;
  failed.failed = 3;
  EXPECT_EQ(failed.kinds(), "failed_simulations ");
  Case diverged;
  diverged.result.posterior.histories[1].stop = StopReason::diverged;
  EXPECT_EQ(diverged.kinds(), "diverged ");
  EXPECT_TRUE(contains(diverged.message(), "1 of 2")) << diverged.message();
}

}  // namespace
}  // namespace hone
