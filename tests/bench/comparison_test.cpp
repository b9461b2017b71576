#include "hone/bench/comparison.h"

#include <cmath>

#include <gtest/gtest.h>

#include "bench/rows.h"
#include "files/test_files.h"

namespace hone {
namespace {

PublishedScore published(const std::string& method, int observation, double c2st_1d,
                         double c2st_2d) {
  PublishedScore score;
  score.method = method;
  score.task = "sir";
  score.budget = 1000;
  score.observation = observation;
  score.c2st_1d = c2st_1d;
  score.c2st_2d = c2st_2d;
  if (method == "TMNRE") score.seconds = 100 * observation;
  return score;
}

// hone: observation 1 has two seeds, mean 0.6; observation 2 has 0.7; observation 9 of the paper
// was not run.
const std::vector<BenchRow> kRows{make_row("sir", 1000, 1, 0.5, 0.6, 1),
                                  make_row("sir", 1000, 1, 0.7, 0.8, 2),
                                  make_row("sir", 1000, 2, 0.7, 0.9)};
const std::vector<PublishedScore> kPublished{
    published("TMNRE", 1, 0.70, 0.70), published("TMNRE", 2, 0.72, 0.74),
    published("TMNRE", 9, 0.10, 0.10), published("NRE", 1, 0.60, 0.9),
    published("NRE", 2, 0.62, 0.9),    published("SNLE", 1, 0.55, 0.8),
    published("NPE", 1, 0.80, 0.7)};

TEST(Comparison, MeansAreOverTheSameObservationsOnBothSides) {
  const auto variants = variants_of(kRows);
  ASSERT_EQ(variants.size(), 1U);
  const auto cells = compare(kRows, variants[0], kPublished);
  ASSERT_EQ(cells.size(), 1U);
  const ComparisonCell& cell = cells[0];
  const Comparison &one = cell.by_kind[0], &two = cell.by_kind[1];
  EXPECT_DOUBLE_EQ(one.hone.mean, 0.65);
  EXPECT_NEAR(one.hone.standard_error, 0.05, 1e-12);  // |0.7 - 0.6| / 2
  EXPECT_EQ(one.hone.count, 2);
  EXPECT_NEAR(one.tmnre.value(), 0.71, 1e-12);
  EXPECT_NEAR(one.best_other.value(), 0.55, 1e-12);
  EXPECT_EQ(one.best_method, "SNLE");
  EXPECT_NEAR(one.median_other.value(), 0.61, 1e-12);  // of 0.61, 0.55, 0.80
  EXPECT_TRUE(one.wins());
  EXPECT_NEAR(two.hone.mean, 0.8, 1e-12);
  EXPECT_FALSE(two.wins());  // 0.72 is the mark
  EXPECT_EQ(cell.runs, 3);
  EXPECT_DOUBLE_EQ(cell.seconds, 1.75);  // scoring does not count
  EXPECT_DOUBLE_EQ(cell.tmnre_seconds.value(), 150);
}

TEST(Comparison, TheMarkOfGaussianLinearIsTheMedianOfTheOthers) {
  std::vector<BenchRow> rows = kRows;
  std::vector<PublishedScore> scores = kPublished;
  for (BenchRow& row : rows) row.run.task = "gaussian_linear";
  for (PublishedScore& score : scores) score.task = "gaussian_linear";
  const auto cells = compare(rows, variants_of(rows)[0], scores);
  EXPECT_NEAR(cells[0].by_kind[0].mark.value(), 0.61, 1e-12);
  EXPECT_FALSE(cells[0].by_kind[0].wins());
}

TEST(Comparison, NothingPublishedStandsBesideOtherObservations) {
  std::vector<BenchRow> rows = kRows;
  for (BenchRow& row : rows) row.run.reference = BenchCase::kNative;
  const auto cells = compare(rows, variants_of(rows)[0], kPublished);
  EXPECT_FALSE(cells[0].by_kind[0].mark.has_value());
  EXPECT_FALSE(cells[0].tmnre_seconds.has_value());
}

TEST(Comparison, TheTableSaysWhoIsBelow) {
  std::vector<BenchRow> rows = kRows;
  rows.push_back(make_row("torus", 20000, 1, 0.51, std::nan("")));
  rows.back().scores.converged = false;
  const std::string table = comparison_markdown(rows, kPublished);
  EXPECT_TRUE(contains(table, "Below the mark in 1 of 2 cells; 4 runs, 1 not converged.")) << table;
  EXPECT_TRUE(contains(table,
                       "| sir | 1,000 | 1-d | 0.650 ± 0.050 | 0.710 | 0.710 | below | 0.550 (SNLE) "
                       "| 0.610 | 1.8 | 150 | 3 |"))
      << table;
  EXPECT_TRUE(contains(table, "| sir | 1,000 | 2-d | 0.800 ± 0.100 | 0.720 | 0.720 | **above** |"))
      << table;
  EXPECT_TRUE(contains(table,
                       "| torus | 20,000 | 1-d | 0.510 |  |  |  |  |  | 1.8 |  | 1 (1 not "
                       "converged) |"))
      << table;
  EXPECT_FALSE(contains(table, "| torus | 20,000 | 2-d")) << table;
}

TEST(Comparison, RowsOfAnotherSettingMakeATableOfTheirOwn) {
  std::vector<BenchRow> rows = kRows;
  rows.push_back(make_row("sir", 1000, 1, 0.9, 0.9));
  rows.back().run.options = "hidden=8";
  const auto variants = variants_of(rows);
  ASSERT_EQ(variants.size(), 2U);
  EXPECT_DOUBLE_EQ(compare(rows, variants[0], kPublished)[0].by_kind[0].hone.mean, 0.65);
  EXPECT_DOUBLE_EQ(compare(rows, variants[1], kPublished)[0].by_kind[0].hone.mean, 0.9);
  EXPECT_TRUE(contains(comparison_markdown(rows, kPublished), "hidden=8"));
}

TEST(Comparison, TheOrderInWhichRunsEndedDoesNotMatter) {
  std::vector<BenchRow> rows = kRows;
  rows.push_back(make_row("two_moons", 100, 1, 0.5, 0.5));
  const std::string table = comparison_markdown(in_table_order(rows), kPublished);
  std::swap(rows.front(), rows.back());
  EXPECT_EQ(comparison_markdown(in_table_order(rows), kPublished), table);
}

TEST(Published, ScoresAreInTheProgram) {
  const auto& scores = published_scores();
  EXPECT_EQ(scores.size(), 2155U);
  const auto mean = [&](const std::string& method, MarginalKind kind) {
    return published_mean(scores, method, "sir", 1000, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, kind);
  };
  for (const std::string& method : published_methods()) {
    for (const MarginalKind kind : kMarginalKinds) {
      const auto score = mean(method, kind);
      ASSERT_TRUE(score.has_value()) << method;
      EXPECT_EQ(score->count, 10);
      EXPECT_GT(score->mean, 0.45);
      EXPECT_LT(score->mean, 1);
    }
  }
  // The paper's TMNRE did not converge on these.
  EXPECT_FALSE(published_mean(scores, "TMNRE", "gaussian_linear", 1000, {4, 5},
                              MarginalKind::one_dimensional));
  for (const PublishedScore& score : scores) {
    const auto tasks = published_tasks();
    EXPECT_NE(std::find(tasks.begin(), tasks.end(), score.task), tasks.end()) << score.task;
    EXPECT_EQ(score.seconds.has_value(), score.method == "TMNRE");
  }
}

}  // namespace
}  // namespace hone
