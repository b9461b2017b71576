#include "hone/check/health.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "hone/check/cuts.h"
#include "hone/core/rng.h"

namespace hone {
namespace {

MemberHistory history(double training, double validation, StopReason stop = StopReason::converged) {
  const auto loss = [](double v) { return static_cast<float>(v); };
  return {.training_loss = {1.4F, loss(training)},
          .validation_loss = {1.4F, loss(validation)},
          .learning_rate = {0.01F, 0.001F},
          .best_epoch = 2,
          .best_loss = validation,
          .stop = stop};
}

constexpr double kChance = 1.3862943611198906;  // 2 log 2

CheckResult judged(const std::vector<MemberHistory>& histories) {
  return training_result(training_health({"a"}, histories, kChance));
}

TEST(TrainingHealth, ChanceIsTheLossOfNetworksThatKnowNothing) {
  TrainingOptions options;
  EXPECT_NEAR(chance_loss(options), kChance, 1e-6);
  options.validation_negatives = 1;
  EXPECT_NEAR(chance_loss(options), kChance, 1e-6);
}

TEST(TrainingHealth, PassesWhatIsInOrderAndFlagsTheRest) {
  EXPECT_EQ(judged({history(0.5, 0.55), history(0.5, 0.56)}).status, Status::pass);
  EXPECT_EQ(judged({history(0.1, 1.2), history(0.1, 1.2)}).status, Status::caution);  // overfitted
  EXPECT_EQ(judged({history(1.39, 1.39), history(1.39, 1.39)}).status, Status::caution);  // nothing
  EXPECT_EQ(judged({history(0.5, 0.55), history(0.5, 0.6, StopReason::diverged)}).status,
            Status::caution);
  EXPECT_EQ(judged({history(0.5, 0.55),
                    history(0.5, std::numeric_limits<double>::infinity(), StopReason::diverged)})
                .status,
            Status::fail);
}

TEST(TrainingHealth, OneParameterThatTheDataDoNotTellIsNoFault) {
  const auto health =
      training_health({"a", "b"}, {history(0.5, 0.55), history(1.3863, 1.3863)}, kChance);
  EXPECT_EQ(health[1].unlearned, 1);
  EXPECT_EQ(training_result(health).status, Status::pass);
}

TEST(Ensembles, AreFlaggedByTheirSpread) {
  const auto with = [](double distance, double mean_error) {
    return ensemble_result(
               {{.marginal = "a", .networks = 2, .distance = 0.01, .mean_error = 0.01},
                {.marginal = "b", .networks = 2, .distance = distance, .mean_error = mean_error}})
        .status;
  };
  EXPECT_EQ(with(0.05, 0.1), Status::pass);
  EXPECT_EQ(with(0.05, 0.5), Status::caution);
  EXPECT_EQ(with(0.3, std::nan("")), Status::caution);
  EXPECT_EQ(with(0.7, 0.1), Status::fail);
}

TEST(Cuts, AreJudgedByTheirThreeWitnesses) {
  const CutCheck good{.round = 1, .parameter = "a", .lost_mass = 1e-6, .draws = 500, .near = 200};
  CutCheck bad = good;
  EXPECT_EQ(lost_mass_result({good}).status, Status::pass);
  bad.lost_mass = 0.005;
  EXPECT_EQ(lost_mass_result({good, bad}).status, Status::caution);
  bad.lost_mass = 0.05;
  EXPECT_EQ(lost_mass_result({good, bad}).status, Status::fail);
  // Every round counts, parameter by parameter.
  bad.lost_mass = 6e-4;
  EXPECT_EQ(lost_mass_result({bad, good}).status, Status::pass);
  EXPECT_EQ(lost_mass_result({bad, bad}).status, Status::caution);
  CutCheck other = bad;
  other.parameter = "b";
  EXPECT_EQ(lost_mass_result({bad, other}).status, Status::pass);

  EXPECT_EQ(cut_truths_result({good}).status, Status::pass);
  bad.cut_truths = 1;  // one of 500 may be chance
  EXPECT_EQ(cut_truths_result({good, bad}).status, Status::pass);
  bad.cut_truths = 7;
  EXPECT_EQ(cut_truths_result({good, bad}).status, Status::caution);
  bad.cut_truths = 50;
  EXPECT_EQ(cut_truths_result({good, bad}).status, Status::fail);

  EXPECT_EQ(probe_result({good}).status, Status::pass);
  bad.near_outside = 3;
  EXPECT_EQ(probe_result({good, bad}).status, Status::pass);
  bad.near_outside = 100;  // the other of two modes
  EXPECT_EQ(probe_result({good, bad}).status, Status::fail);
}

// The worst of many axes and rounds is judged: by chance alone it must not be flagged more often
// than one look may be.
TEST(Probe, ManyAxesAndRoundsRaiseNoFalseAlarms) {
  constexpr int kRuns = 300, kCuts = 100;
  constexpr Index kNear = 200;
  Rng rng(17);
  int alarms = 0, uncorrected = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<CutCheck> cuts(kCuts, CutCheck{.parameter = "a", .near = kNear});
    bool alone = false;
    for (CutCheck& cut : cuts) {
      for (Index i = 0; i < kNear; ++i) cut.near_outside += rng.uniform() < 0.02;  // just tolerated
      alone = alone || probe_result({cut}).status != Status::pass;
    }
    alarms += probe_result(cuts).status != Status::pass;
    uncorrected += alone;
  }
  EXPECT_LE(alarms, kRuns * 0.001 + 4 * std::sqrt(kRuns * 0.001));
  EXPECT_GT(uncorrected, 0.03 * kRuns) << "the control: each look by itself at the same level";
}

TEST(Probe, AModeThatWasCutAwayIsSeenAmongManyCuts) {
  std::vector<CutCheck> cuts(100, CutCheck{.parameter = "a", .near = 200});
  cuts[37].near_outside = 20;
  EXPECT_EQ(probe_result(cuts).status, Status::caution);
  cuts[37].near_outside = 60;
  EXPECT_EQ(probe_result(cuts).status, Status::fail);
}

// Masses of a normal density, or of two of them, on 200 cells of (0, 1).
std::vector<double> normal_masses(const std::vector<double>& means, double sigma) {
  std::vector<double> masses;
  double sum = 0;
  for (int i = 0; i < 200; ++i) {
    double density = 0;
    for (const double mean : means) {
      density += std::exp(-0.5 * std::pow(((i + 0.5) / 200 - mean) / sigma, 2));
    }
    masses.push_back(density);
    sum += density;
  }
  for (double& mass : masses) mass /= sum;
  return masses;
}

TEST(Probe, TakesDataForAlikeWhosePosteriorsOverlap) {
  const auto observed = normal_masses({0.5}, 0.05);
  EXPECT_TRUE(looks_alike(normal_masses({0.54}, 0.05), observed));
  EXPECT_FALSE(looks_alike(normal_masses({0.57}, 0.05), observed));
  EXPECT_TRUE(looks_alike(normal_masses({0.5}, 0.1), observed));
  EXPECT_FALSE(looks_alike(normal_masses({0.5}, 0.15), observed));
  // Two modes have the mean and the width of many others.
  const auto modes = normal_masses({0.2, 0.8}, 0.05);
  EXPECT_TRUE(looks_alike(normal_masses({0.22, 0.78}, 0.05), modes));
  EXPECT_FALSE(looks_alike(normal_masses({0.3, 0.9}, 0.05), modes));
  EXPECT_FALSE(looks_alike(normal_masses({0.5}, 0.25), modes));
}

TEST(Edges, CountOnlyWhereTheRegionWasCut) {
  const double prior_end = std::nan("");
  EXPECT_EQ(edges_result({{"a", prior_end, prior_end}}).status, Status::pass);
  EXPECT_EQ(edges_result({{"a", prior_end, 1e-4}}).status, Status::pass);
  EXPECT_EQ(edges_result({{"a", 0.05, prior_end}}).status, Status::caution);
  const CheckResult result = edges_result({{"a", 0.05, 0.001}, {"b", 0.001, 0.5}});
  EXPECT_EQ(result.status, Status::fail);
  EXPECT_NE(result.reason.find("upper edge of b"), std::string::npos) << result.reason;
}

}  // namespace
}  // namespace hone
