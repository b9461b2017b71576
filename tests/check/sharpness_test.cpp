// Posteriors that are calibrated, and yet do not use what is in the data: exact normal posteriors
// and closed forms say by how much they are too wide, and where they should lie.

#include "hone/check/sharpness.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "check/known_posteriors.h"

namespace hone {
namespace {

// Rivals that know nothing beside the posterior: anything that can be computed from the data.
ComparedPosterior right_posterior(Rng& rng, std::size_t draws) {
  ComparedPosterior one{.posterior = {"a", {}, {}, {}, 0.5, 0.1}};
  Rival noise{.kind = RivalKind::columns, .observed = 0.6}, wild = noise, shrunk = noise;
  for (std::size_t i = 0; i < draws; ++i) {
    const double mean = 0.5 + 0.1 * rng.normal(), z = rng.normal();
    const double deviation = 0.1 * std::exp(0.3 * rng.normal());
    one.posterior.mean.push_back(mean);
    one.posterior.deviation.push_back(deviation);
    one.posterior.cdf.push_back(test::cdf_of(z));
    one.truths.push_back(mean + deviation * z);
    noise.draws.push_back(mean + 0.1 * rng.normal());
    wild.draws.push_back(mean + 0.1 * std::pow(rng.normal(), 5));
    shrunk.draws.push_back(0.5 + 0.5 * (mean - 0.5));
  }
  one.rivals = {noise, wild, shrunk};
  return one;
}

TEST(Sharpness, RightPosteriorsAreNotFlaggedMoreOftenThanStated) {
  constexpr int kCases = 900;
  // However little it matters, so that every significant correlation counts.
  const SharpnessLimits limits{.narrower_caution = -1};
  int alarms = 0;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    Rng rng = Rng(11).child("case", seed);
    const std::vector<ComparedPosterior> posteriors{right_posterior(rng, 150),
                                                    right_posterior(rng, 150)};
    const auto found = sharpness(posteriors, rng.child("check"), limits);
    alarms += found[0].status != Status::pass || found[1].status != Status::pass;
  }
  constexpr double kStated = 0.01;
  const double error = std::sqrt(kStated * (1 - kStated) / kCases);
  EXPECT_LE(alarms / static_cast<double>(kCases), kStated + 3 * error);
}

// theta ~ N(0.5, 0.1^2), seen twice with normal errors; the posterior is the exact one given the
// first column alone.
struct TwoColumns {
  double first = 0.05, second = 0.05;
  double prior = 0.1;

  double precision(bool both) const {
    return 1 / (prior * prior) + 1 / (first * first) + (both ? 1 / (second * second) : 0);
  }
  double mean(double x, double y, bool both) const {
    const double sum =
        0.5 / (prior * prior) + x / (first * first) + (both ? y / (second * second) : 0);
    return sum / precision(both);
  }
};

constexpr double kObserved[] = {0.5, 0.58};

ComparedPosterior ignores_a_column(const TwoColumns& model, Index draws, const Rng& seed) {
  Matrix<float> reference(1000, 2), x(draws, 2);
  Matrix<double> reference_theta(1000, 1), theta(draws, 1);
  Rng rng = seed.child("simulate");
  const auto simulate = [&](Matrix<float>& data, Matrix<double>& truth) {
    for (Index i = 0; i < data.rows(); ++i) {
      truth(i, 0) = 0.5 + model.prior * rng.normal();
      data(i, 0) = static_cast<float>(truth(i, 0) + model.first * rng.normal());
      data(i, 1) = static_cast<float>(truth(i, 0) + model.second * rng.normal());
    }
  };
  simulate(reference, reference_theta);
  simulate(x, theta);
  const DataDescription undeclared;
  auto rivals = regression_rivals({.reference = reference,
                                   .reference_local = reference_theta,
                                   .draws = x,
                                   .observation = kObserved,
                                   .data = undeclared,
                                   .parameters = {0}});
  const double deviation = 1 / std::sqrt(model.precision(false));
  ComparedPosterior one{
      .posterior = {"a", {}, {}, {}, model.mean(kObserved[0], 0, false), deviation},
      .rivals = std::move(rivals[0])};
  for (Index i = 0; i < draws; ++i) {
    const double mean = model.mean(static_cast<double>(x(i, 0)), 0, false);
    one.truths.push_back(theta(i, 0));
    one.posterior.mean.push_back(mean);
    one.posterior.deviation.push_back(deviation);
    one.posterior.cdf.push_back(test::cdf_of((theta(i, 0) - mean) / deviation));
  }
  return one;
}

TEST(Sharpness, SeesAPosteriorThatIgnoresAColumnAndSaysWhatItWouldGain) {
  constexpr Index kCases = 20, kDraws = 300;
  const TwoColumns model;
  const double gain = 1 - std::sqrt(model.precision(false) / model.precision(true));
  const double shift =
      (model.mean(kObserved[0], kObserved[1], true) - model.mean(kObserved[0], 0, false)) *
      std::sqrt(model.precision(false));
  double narrower = 0, moved = 0;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    const auto found =
        sharpness({ignores_a_column(model, kDraws, Rng(5).child("case", seed))}, Rng(seed));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].status, Status::pass) << "seed " << seed;
    narrower += found[0].narrower / kCases;
    moved += found[0].shift / kCases;
  }
  // A correlation r has an error of (1 - r^2) / sqrt(n), and 1 - sqrt(1 - r^2) has r / sqrt(1 -
  // r^2) times as much. The regression of 1,000 simulations knows a little less than the exact
  // mean.
  const double r = std::sqrt(1 - (1 - gain) * (1 - gain));
  const double error = r * (1 - gain) / std::sqrt(static_cast<double>(kDraws * kCases));
  EXPECT_NEAR(narrower, gain, 4 * error + 0.02);
  EXPECT_NEAR(moved, shift, 0.1 * shift);
}

TEST(Sharpness, NegativeControlAColumnThatSaysNothingIsNoLoss) {
  int alarms = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const TwoColumns model{.second = 20};
    alarms += sharpness({ignores_a_column(model, 300, Rng(6).child("case", seed))}, Rng(seed))[0]
                  .status != Status::pass;
  }
  EXPECT_LE(alarms, 1);
}

TEST(Sharpness, ALossThatDoesNotMatterPassesHoweverManyDraws) {
  const TwoColumns model{.second = 0.15};  // 5 % narrower, and 0.2 sigma at the observation
  const auto found = sharpness({ignores_a_column(model, 1000, Rng(7))}, Rng(7));
  EXPECT_LT(found[0].probability, 0.01);
  EXPECT_EQ(found[0].status, Status::pass);
  EXPECT_NE(sharpness_result(found, false).reason.find("found little that the posteriors miss"),
            std::string::npos);
}

// x_(t+1) = a x_t + sqrt(1 - a^2) z with a = 0.9 theta: every column is standard normal whatever
// theta is, which shows in products of neighbours alone. The posterior is the prior.
ComparedPosterior knows_columns_alone(const DataDescription& data, const Rng& seed) {
  constexpr Index kSteps = 30, kDraws = 300;
  Matrix<float> reference(600, kSteps), x(kDraws, kSteps);
  Matrix<double> reference_theta(600, 1), theta(kDraws, 1);
  Rng rng = seed.child("simulate");
  const auto simulate = [&](Matrix<float>& rows, Matrix<double>& truth) {
    for (Index i = 0; i < rows.rows(); ++i) {
      truth(i, 0) = rng.uniform();
      const double a = 0.9 * truth(i, 0);
      double value = rng.normal();
      for (float& one : rows.row(i)) {
        one = static_cast<float>(value);
        value = a * value + std::sqrt(1 - a * a) * rng.normal();
      }
    }
  };
  simulate(reference, reference_theta);
  simulate(x, theta);
  const std::vector<double> observation(x.row(0).begin(), x.row(0).end());
  auto rivals = regression_rivals({.reference = reference,
                                   .reference_local = reference_theta,
                                   .draws = x,
                                   .observation = observation,
                                   .data = data,
                                   .parameters = {0}});
  const double deviation = 1 / std::sqrt(12.0);
  ComparedPosterior one{.posterior = {"a", {}, {}, {}, 0.5, deviation},
                        .rivals = std::move(rivals[0])};
  for (Index i = 0; i < kDraws; ++i) {
    one.truths.push_back(theta(i, 0));
    one.posterior.cdf.push_back(theta(i, 0));
    one.posterior.mean.push_back(0.5);
    one.posterior.deviation.push_back(deviation);
  }
  return one;
}

TEST(Sharpness, SeesWhatOnlyNeighboursInASeriesTellTogether) {
  const DataDescription declared({{"x", DataKind::series, {30}}}), undeclared;
  for (const DataDescription* data : {&declared, &undeclared}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      ComparedPosterior one = knows_columns_alone(*data, Rng(8).child("case", seed));
      const auto found = sharpness({one}, Rng(seed));
      EXPECT_EQ(found[0].status, Status::fail) << "seed " << seed;
      EXPECT_EQ(found[0].rival, RivalKind::functions);
      // Negative control: the columns alone know nothing.
      std::erase_if(one.rivals, [](const Rival& r) { return r.kind != RivalKind::columns; });
      EXPECT_LT(sharpness({one}, Rng(seed))[0].narrower, 0.1);
    }
  }
}

TEST(Sharpness, SaysWhatItMeansAndWhatToDo) {
  const auto found = sharpness({ignores_a_column({}, 300, Rng(1))}, Rng(1));
  const CheckResult result = sharpness_result(found, false);
  EXPECT_NE(result.reason.find("the posteriors miss something that is in the data"),
            std::string::npos);
  EXPECT_NE(result.advice.text().find("use more simulations"), std::string::npos);
  Sharpness series = found[0];
  series.rival = RivalKind::functions;
  EXPECT_NE(sharpness_result({series}, false).advice.text().find("declare them"),
            std::string::npos);
  EXPECT_NE(sharpness_result({series}, true).advice.text().find("declare the noise"),
            std::string::npos);
}

TEST(Sharpness, SaysNothingWithFewDraws) {
  Rng rng(1);
  EXPECT_TRUE(sharpness({right_posterior(rng, 49)}, Rng(1)).empty());
  EXPECT_EQ(sharpness({right_posterior(rng, 50)}, Rng(1)).size(), 1U);
}

}  // namespace
}  // namespace hone
