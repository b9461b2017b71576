// Probabilities of models whose odds are known: two normal distributions of the data.

#include "hone/check/model_calibration.h"

#include <cmath>

#include <gtest/gtest.h>

#include "hone/core/rng.h"

namespace hone {
namespace {

struct KnownModels {
  Matrix<double> log_odds;
  std::vector<int> model;
};

// x is normal around `distance` times the model's number; log odds are stated `stretch` times as
// large and shifted.
KnownModels known(Index draws, int models, double distance, double stretch = 1, double shift = 0) {
  Rng rng = Rng(7).child("models");
  KnownModels result{Matrix<double>(draws, models), {}};
  for (Index i = 0; i < draws; ++i) {
    const int truth = static_cast<int>(i * models / draws);
    const double x = distance * truth + rng.normal();
    result.model.push_back(truth);
    for (int m = 0; m < models; ++m) {
      const double z = x - distance * m;
      result.log_odds(i, m) = stretch * (-0.5 * z * z) + (m == 0 ? shift : 0);
    }
  }
  return result;
}

ModelCalibration test_of(const KnownModels& known) {
  return test_reliability(known.log_odds, known.model);
}

TEST(ModelCalibration, RightProbabilitiesPass) {
  for (const int models : {2, 3}) {
    const ModelCalibration found = test_of(known(800, models, 1.5));
    EXPECT_EQ(found.status, Status::pass) << found.reason;
    EXPECT_EQ(std::ssize(found.models), models == 2 ? 1 : 3);
    for (const ModelReliability& one : found.models) {
      EXPECT_NEAR(one.slope, 1, 4 * one.slope_error);
      EXPECT_NEAR(one.bias, 0, 4 * one.bias_error);
      Index draws = 0;
      for (const ReliabilityBin& bin : one.bins) {
        const double error = std::sqrt(bin.predicted * (1 - bin.predicted) / double(bin.draws));
        EXPECT_NEAR(bin.real, bin.predicted, 4 * error + 1.0 / double(bin.draws));
        draws += bin.draws;
      }
      EXPECT_EQ(draws, 800);
    }
  }
}

TEST(ModelCalibration, OddsThatAreTooLargeAreWrong) {
  const ModelCalibration found = test_of(known(800, 2, 1.5, 2));
  EXPECT_EQ(found.status, Status::fail) << found.reason;
  EXPECT_LT(found.models[0].slope, 0.8);
}

TEST(ModelCalibration, OddsThatAreShiftedAreWrong) {
  for (const double shift : {-0.8, 0.8}) {
    const ModelCalibration found = test_of(known(800, 2, 1.5, 1, shift));
    EXPECT_EQ(found.status, Status::fail) << found.reason;
    EXPECT_GT(-shift * found.models[0].bias, 0);
  }
}

TEST(ModelCalibration, ModelsThatAreNeverInDoubtTestNothing) {
  const ModelCalibration found = test_of(known(400, 2, 20));
  EXPECT_EQ(found.status, Status::unclear) << found.reason;
}

TEST(ModelCalibration, TheSizeOfTheTestIsAsStated) {
  int cautions = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    Rng rng = Rng(3).child("trial", static_cast<std::uint64_t>(trial));
    KnownModels one{Matrix<double>(200, 2), {}};
    for (Index i = 0; i < 200; ++i) {
      const int truth = i < 100 ? 0 : 1;
      const double x = truth + rng.normal();
      one.model.push_back(truth);
      one.log_odds(i, 1) = x - 0.5;  // log of exp(-(x - 1)^2 / 2) / exp(-x^2 / 2)
    }
    cautions += test_of(one).models[0].probability <= 0.05 ? 1 : 0;
  }
  // 20 expected, standard deviation 4.4.
  EXPECT_NEAR(cautions, 20, 18);
}

}  // namespace
}  // namespace hone
