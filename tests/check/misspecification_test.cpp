#include "hone/check/misspecification.h"

#include <cmath>

#include <gtest/gtest.h>

#include "inference/support.h"

namespace hone {
namespace {

// Simulated data: correlated normal columns with a common part, one of them skewed.
struct Simulated {
  Matrix<float> reference, draws;
  std::vector<double> observation;

  Simulated(Index columns, Index rows, const Rng& rng)
      : reference(rows, columns), draws(rows, columns) {
    Matrix<float> one(1, columns);
    fill(reference, rng.child("reference"));
    fill(draws, rng.child("draws"));
    fill(one, rng.child("observation"));
    observation.assign(one.row(0).begin(), one.row(0).end());
  }
  CheckResult result() const {
    std::vector<float> features(observation.begin(), observation.end());
    return typicality_result(
        measure_typicality({reference, draws, features, reference, draws, observation}));
  }

 private:
  static void fill(Matrix<float>& rows, const Rng& rng) {
    for (Index i = 0; i < rows.rows(); ++i) {
      Rng row = rng.child("row", static_cast<std::uint64_t>(i));
      const double common = row.normal();
      for (Index c = 0; c < rows.cols(); ++c) {
        const double value = common + 0.3 * row.normal();
        rows(i, c) = static_cast<float>(c == 1 ? std::exp(value) : 10 * value + double(c));
      }
    }
  }
};

TEST(Misspecification, ATypicalObservationPassesAsOftenAsStated) {
  Index flagged = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Simulated data(12, i % 2 == 0 ? 400 : 100, test::test_rng().child("typical", i));
    flagged += data.result().status != Status::pass;
  }
  EXPECT_LE(flagged, 8);  // 1 % of 200; more has a probability below 1e-4
}

TEST(Misspecification, AWrongColumnIsFoundAndNamed) {
  Simulated data(100, 400, test::test_rng());
  data.observation[17] += 10 * 20;
  const CheckResult result = data.result();
  EXPECT_EQ(result.status, Status::fail);
  EXPECT_NE(result.reason.find("column 17"), std::string::npos) << result.reason;
  EXPECT_NE(result.advice.text().find("column 17"), std::string::npos) << result.advice.text();
}

TEST(Misspecification, MissingValuesAreNotUnusual) {
  Simulated data(100, 400, test::test_rng());
  for (Index i = 0; i < 400; ++i) data.reference(i, i % 100) = std::nanf("");
  const auto features = data.observation;
  for (std::size_t j = 0; j < 30; ++j) data.observation[j] = std::nan("");
  const std::vector<float> seen(features.begin(), features.end());
  const auto found = measure_typicality(
      {data.draws, data.draws, seen, data.reference, data.draws, data.observation});
  EXPECT_EQ(typicality_result(found).status, Status::pass);
  for (const ColumnScore& column : found.worst_columns) EXPECT_GE(column.column, 30);
  data.observation[57] += 10 * 20;
  const auto wrong = measure_typicality(
      {data.draws, data.draws, seen, data.reference, data.draws, data.observation});
  EXPECT_EQ(typicality_result(wrong).status, Status::fail);
}

TEST(Misspecification, ColumnsThatNeverGoTogetherAreFound) {
  Simulated data(12, 400, test::test_rng());
  for (std::size_t c = 2; c < 12; ++c) {  // each within its range
    data.observation[c] = (c % 2 == 0 ? 10.0 : -10.0) + static_cast<double>(c);
  }
  EXPECT_NE(data.result().status, Status::pass);
}

TEST(Misspecification, ThousandsOfColumnsAreNoProblem) {
  Simulated data(5000, 200, test::test_rng());
  EXPECT_EQ(data.result().status, Status::pass) << data.result().reason;
  data.observation[4321] += 10 * 10;
  EXPECT_NE(data.result().reason.find("column 4321"), std::string::npos);
  EXPECT_EQ(data.result().status, Status::fail);
}

TEST(Misspecification, AConstantColumnWithAnotherValueIsFound) {
  Simulated data(5, 400, test::test_rng());
  for (Index i = 0; i < 400; ++i) data.reference(i, 3) = data.draws(i, 3) = 7;
  data.observation[3] = 7;
  EXPECT_EQ(data.result().status, Status::pass) << data.result().reason;
  data.observation[3] = 8;
  EXPECT_EQ(data.result().status, Status::fail);
}

// 0.1 is no float: simulations have the nearest one, the observation has more digits.
TEST(Misspecification, DigitsThatSimulationsCannotHoldAreNoDifference) {
  Simulated data(12, 400, test::test_rng());
  for (Matrix<float>* rows : {&data.reference, &data.draws}) {
    for (Index i = 0; i < rows->rows(); ++i) (*rows)(i, 3) = 0.1F;
  }
  data.observation[3] = 0.1;
  EXPECT_EQ(data.result().status, Status::pass) << data.result().reason;
  data.observation[3] = 0.1001;
  EXPECT_NE(data.result().status, Status::pass) << "the control";
}

TEST(Misspecification, NamesValuesAsTheDataDescriptionDoes) {
  Misspecification found{.draws = 1000,
                         .measures = {{.name = "largest column",
                                       .observed = 9,
                                       .median = 1,
                                       .quantile95 = 2,
                                       .quantile99 = 3,
                                       .probability = 0.001}},
                         .worst_columns = {{.column = 17, .score = -8}}};
  EXPECT_NE(typicality_result(found).advice.text().find("look at column 17 (-8.0"),
            std::string::npos);
  found.worst_columns[0].name = "spectrum[17]";
  const CheckResult result = typicality_result(found);
  EXPECT_NE(result.advice.text().find("look at spectrum[17] (-8.0 sigma)"), std::string::npos);
  EXPECT_EQ(result.reason.find("column 17"), std::string::npos);
}

}  // namespace
}  // namespace hone
