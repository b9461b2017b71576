// Predictive p-values: uniform for a right model, small for a wrong one.

#include "hone/check/predictive.h"

#include <cmath>

#include <gtest/gtest.h>

#include "hone/core/error.h"
#include "inference/support.h"

namespace hone {
namespace {

// Correlated rows: a common level and noise of each column.
void draw(std::span<float> row, Rng& rng, double shift = 0, double outlier = 0) {
  const double level = rng.normal();
  for (float& value : row) value = static_cast<float>(level + shift + 0.5 * rng.normal());
  row[3] += static_cast<float>(outlier);
}

Predictive compare(Rng rng, double shift = 0, double outlier = 0, Index simulations = 100) {
  Matrix<float> x(simulations + 1, 8);
  for (Index i = 0; i < simulations; ++i) draw(x.row(i), rng);
  draw(x.row(simulations), rng, shift, outlier);
  const std::vector<double> observation(x.row(simulations).begin(), x.row(simulations).end());
  return compare_predictive(x.view().rows(0, simulations), observation, {});
}

const PredictiveStatistic& statistic(const Predictive& found, const std::string& name) {
  const auto one = std::ranges::find(found.statistics, name, &PredictiveStatistic::name);
  if (one == found.statistics.end()) throw std::logic_error(name);
  return *one;
}

TEST(Predictive, PValuesAreUniformForARightModel) {
  const Rng rng = test::test_rng().child("predictive");
  for (const char* name :
       {"distance", "largest deviation", "mean", "standard deviation", "largest"}) {
    std::vector<double> p;
    for (std::uint64_t i = 0; i < 400; ++i) {
      p.push_back(statistic(compare(rng.child("data", i)), name).p);
    }
    // Multiples of 1 / 101, or of 2 / 101 if two-sided.
    EXPECT_LT(test::kolmogorov(p, [](double u) { return u; }), 2.2) << name;
  }
}

TEST(Predictive, WrongModelsAreFlagged) {
  const Rng rng = test::test_rng().child("wrong");
  int shifted = 0, outliers = 0, right = 0;
  constexpr int kTrials = 50;
  for (std::uint64_t i = 0; i < kTrials; ++i) {
    right += compare(rng.child("right", i)).status != Status::pass;
    shifted += compare(rng.child("shifted", i), 5).status != Status::pass;
    outliers += compare(rng.child("outlier", i), 0, 6).status != Status::pass;
  }
  EXPECT_LE(right, 5);  // two tests at 1 %: more than 5 of 50 with a probability of 1e-3
  EXPECT_GT(shifted, 45);
  EXPECT_GT(outliers, 40);
}

TEST(Predictive, BandsHoldTheirShareOfSimulations) {
  const Predictive found = compare(test::test_rng().child("bands"), 0, 0, 4000);
  const double sigma = std::sqrt(1.25);
  for (std::size_t j = 0; j < 8; ++j) {
    EXPECT_NEAR(found.high95[j], 1.96 * sigma, 0.2);
    EXPECT_NEAR(found.low95[j], -1.96 * sigma, 0.2);
    EXPECT_NEAR(found.high68[j], 0.994 * sigma, 0.1);
    EXPECT_NEAR(found.median[j], 0, 0.1);
  }
  EXPECT_EQ(found.p.size(), 8u);
  EXPECT_EQ(to_json(found).at("columns").at("p").size(), 8u);
}

TEST(Predictive, BlocksHaveStatisticsOfTheirOwn) {
  Matrix<float> x(30, 3);
  Rng rng = test::test_rng();
  for (Index i = 0; i < 30; ++i) {
    for (float& value : x.row(i)) value = static_cast<float>(rng.normal());
  }
  const DataDescription data({{"flux", DataKind::vector, {2}}, {"size", DataKind::vector, {1}}});
  const Predictive found = compare_predictive(x, std::vector<double>{0, 0, 9}, data);
  EXPECT_EQ(found.statistics.size(), 2u + 4u + 1u);
  EXPECT_EQ(found.statistics.back().block, "size");
  EXPECT_LT(found.statistics.back().p, 0.07);
  const auto few = [&] {
    compare_predictive(x.view().rows(0, 10), std::vector<double>{0, 0, 0}, data);
  };
  EXPECT_TRUE(contains(error_text(few, ErrorKind::simulator), "10 simulations succeeded"));
}

// Columns are independent and normal: p of the smallest of the last two is uniform, as for all
// statistics that are chosen before the data. It does not decide.
TEST(Predictive, StatisticsOfTheUserHaveUniformPValues) {
  const UserStatistic last{"last two", [](std::span<const double> x) {
                             return std::min(x[x.size() - 2], x[x.size() - 1]);
                           }};
  const Rng rng = test::test_rng().child("user");
  std::vector<double> right, wrong;
  for (std::uint64_t i = 0; i < 300; ++i) {
    for (const double shift : {0.0, 1.0}) {
      Rng own = rng.child("data", 2 * i + (shift > 0));
      Matrix<float> x(101, 4);
      for (Index k = 0; k < 101 * 4; ++k) x.data()[k] = static_cast<float>(own.normal());
      std::vector<double> observation(x.row(100).begin(), x.row(100).end());
      for (double& value : observation) value += shift;
      const Predictive found =
          compare_predictive(x.view().rows(0, 100), observation, {}, "posterior", {last});
      EXPECT_EQ(found.statistics.back().name, "last two");
      (shift > 0 ? wrong : right).push_back(found.statistics.back().p);
    }
  }
  const auto uniform = [](double u) { return u; };
  EXPECT_LT(test::kolmogorov(right, uniform), 2.2);
  EXPECT_GT(test::kolmogorov(wrong, uniform), 2.2) << "the control";
}

TEST(Predictive, StatisticsOfTheUserNeedNamesAndNumbers) {
  const auto one = [](std::span<const double>) { return 1.0; };
  const auto refusal = [&](const std::vector<UserStatistic>& users) {
    return error_text(
        [&] {
          compare_predictive(Matrix<float>(30, 2), std::vector<double>{0, 0}, {}, "prior", users);
        },
        ErrorKind::input);
  };
  EXPECT_TRUE(contains(refusal({{"mean", one}}), "there is a statistic of this name"));
  EXPECT_TRUE(contains(refusal({{"a", one}, {"a", one}}), "there is a statistic of this name"));
  EXPECT_TRUE(contains(refusal({{"a\nb", one}}), "no control characters"));
  const auto none = [](std::span<const double>) { return std::nan(""); };
  EXPECT_TRUE(contains(refusal({{"a", none}}), "it is nan for simulation 0"));
}

// Gaps of the observation are no deviation, and those of simulations are left out.
TEST(Predictive, MissingValuesSayNothing) {
  const float nan = std::nanf("");
  Rng rng = test::test_rng().child("gaps");
  Matrix<float> x(101, 8);
  for (Index i = 0; i < x.rows(); ++i) {
    draw(x.row(i), rng);
    x(i, i % 8) = nan;
  }
  for (Index j = 0; j < 4; ++j) x(100, j) = nan;
  const std::vector<double> observation(x.row(100).begin(), x.row(100).end());
  const DataDescription data({{.name = "y", .shape = {8}, .missing = Missing::simulated}});
  const Predictive found = compare_predictive(x.view().rows(0, 100), observation, data);
  for (const PredictiveStatistic& one : found.statistics) {
    EXPECT_FALSE(std::isnan(one.observed) || std::isnan(one.p)) << one.name;
  }
  EXPECT_EQ(statistic(found, "missing values").observed, 5);
  EXPECT_EQ(statistic(found, "missing values").median, 1);
  EXPECT_LT(statistic(found, "missing values").p, 0.05) << "the simulator never leaves so many";
  EXPECT_EQ(found.status, Status::pass) << found.reason;
  const auto json = nlohmann::json::parse(to_json(found).dump());
  EXPECT_TRUE(json["columns"]["observed"][0].is_null());
  EXPECT_TRUE(std::isnan(predictive_from_json(json, 8).observed[0]));

  // Even if there is nothing at all.
  const std::vector<double> nothing(8, std::nan(""));
  EXPECT_EQ(compare_predictive(x.view().rows(0, 100), nothing, data).status, Status::pass);
}

}  // namespace
}  // namespace hone
