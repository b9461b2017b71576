#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "hone/core/rng.h"
#include "hone/store/dataset_file.h"
#include "hone/store/simulation_store.h"
#include "store/dataset_writers.h"

namespace hone {
namespace {

const DatasetSource kSource{.file = "old.npz"};

TEST(DatasetRows, NumbersTheRowsAndPutsThemIntoPriorCoordinates) {
  const SimulationRows rows = dataset_rows({sample_theta(), sample_x()}, sample_prior(), kSource);
  ASSERT_EQ(rows.rows(), kRows);
  for (Index i = 0; i < kRows; ++i) {
    const auto k = static_cast<std::size_t>(i);
    EXPECT_EQ(rows.ids[k], i);
    EXPECT_EQ(rows.rounds[k], 0);
    EXPECT_EQ(rows.seeds[k], 0u);
    EXPECT_FALSE(rows.failures[k]);
    EXPECT_NEAR(rows.u(i, 0), rows.theta(i, 0), 1e-15);
    EXPECT_NEAR(rows.u(i, 1), rows.theta(i, 1) / 10, 1e-15);
  }
  expect_sample(rows.theta, rows.x);
}

TEST(DatasetRows, CountsUselessDataAsFailures) {
  Matrix<double> x = sample_x();
  x(2, 1) = std::nan("");
  x(3, 0) = -std::numeric_limits<double>::infinity();
  x(4, 2) = 1e300;
  const SimulationRows rows = dataset_rows({sample_theta(), std::move(x)}, sample_prior(), kSource);
  EXPECT_EQ(rows.failures[2], "x[1] is nan");
  EXPECT_EQ(rows.failures[3], "x[0] is -inf");
  EXPECT_TRUE(contains(rows.failures[4].value(), "beyond the range of float"));
  EXPECT_FALSE(rows.failures[5]);
}

TEST(DatasetRows, RefusesParametersOutsideThePrior) {
  for (const double wrong : {std::nan(""), 11.0, -0.5}) {
    Matrix<double> theta = sample_theta();
    theta(7, 1) = wrong;
    const std::string text = error_text(
        [&] {
          dataset_rows({std::move(theta), sample_x()}, sample_prior(), kSource);
        },
        ErrorKind::input);
    EXPECT_TRUE(
        contains(text, fmt::format("old.npz: row 7 (counted from 0), parameter 'age' = {}", wrong)))
        << text;
    EXPECT_TRUE(contains(text, "0 to 10")) << text;
  }
}

TEST(DatasetRows, GoIntoAStoreOnceHoweverOftenTheyAreLoaded) {
  const TemporaryDirectory directory;
  const StoreSchema schema{{"mass", "age"}, 3, Precision::float32};
  SimulationStore store = SimulationStore::create(directory.path(), schema);
  const SimulationRows rows = dataset_rows({sample_theta(), sample_x()}, sample_prior(), kSource);
  SimulationRows part(4, schema);  // what an interrupted load had written
  for (Index i = 0; i < 4; ++i) part.ids[static_cast<std::size_t>(i)] = i;
  store.append(part);
  append_missing(store, rows);
  append_missing(store, rows);
  EXPECT_EQ(store.rows(), kRows);
  EXPECT_EQ(store.read_x(11), (std::vector<double>{11, 11.25, 11.5}));
}

TEST(PriorMismatches, AreSilentForDrawsFromThePriorAndNameTheParameterThatIsNot) {
  const Prior prior = sample_prior();
  SimulationRows rows(5000, {{"mass", "age"}, 1, Precision::float32});
  Rng rng(3);
  for (Index i = 0; i < rows.rows(); ++i) {
    rows.u(i, 0) = rng.uniform();
    rows.u(i, 1) = rng.uniform();
  }
  EXPECT_TRUE(prior_mismatches(rows, prior).empty());
  for (Index i = 0; i < rows.rows(); ++i) rows.u(i, 1) *= 0.8;  // from a part of the prior
  const auto found = prior_mismatches(rows, prior);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(contains(found[0], "'age'")) << found[0];
}

}  // namespace
}  // namespace hone
