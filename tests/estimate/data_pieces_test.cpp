#include "hone/estimate/data_pieces.h"

#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace hone {
namespace {

DataDescription series(std::vector<Index> shape) {
  return DataDescription({{.name = "signal", .kind = DataKind::series, .shape = std::move(shape)}});
}

// Row i holds 10 i, 10 i + 1, ..
Matrix<float> numbered(Index rows, Index columns) {
  Matrix<float> x(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) x(i, j) = static_cast<float>(10 * i + j);
  }
  return x;
}

std::vector<std::vector<float>> read(const RowSource& table, const std::vector<Index>& rows) {
  Matrix<float> out(std::ssize(rows), table.cols());
  table.read(out, rows);
  std::vector<std::vector<float>> result;
  for (Index i = 0; i < out.rows(); ++i) result.emplace_back(out.row(i).begin(), out.row(i).end());
  return result;
}

TEST(StepsOf, AreThoseOfASingleSeries) {
  const DataPieces one = steps_of(series({50}), 50);
  EXPECT_EQ(one.count, 49);
  EXPECT_EQ(one.columns, 2);
  EXPECT_EQ(one.given, 1);
  EXPECT_EQ(one.total(), 50);
  const DataPieces two = steps_of(series({5, 2}), 10);
  EXPECT_EQ(two.count, 4);
  EXPECT_EQ(two.columns, 4);
  EXPECT_EQ(two.given, 2);
  EXPECT_EQ(two.total(), 10);
  EXPECT_FALSE(steps_of(series({1}), 1).apart());
  EXPECT_FALSE(steps_of({}, 50).apart());
  const DataDescription more({{.name = "a", .kind = DataKind::series, .shape = {4}},
                              {.name = "b", .kind = DataKind::series, .shape = {4}}});
  EXPECT_FALSE(steps_of(more, 8).apart());
}

TEST(PieceRows, AreTheElementsOfEveryRow) {
  const Matrix<float> x = numbered(3, 6);  // three pairs a row
  const MatrixRows rows(x);
  const PieceRows pairs(rows, {.count = 3, .columns = 2}, 3);
  EXPECT_EQ(pairs.rows(), 9);
  EXPECT_EQ(pairs.cols(), 2);
  EXPECT_EQ(read(pairs, {8, 0, 1}), (std::vector<std::vector<float>>{{24, 25}, {0, 1}, {2, 3}}));
}

TEST(PieceRows, AreStepsThatBeginWhereTheOneBeforeEnds) {
  const Matrix<float> x = numbered(2, 4);
  const MatrixRows rows(x);
  const PieceRows steps(rows, steps_of(series({4}), 4), 3);
  EXPECT_EQ(steps.rows(), 6);
  EXPECT_EQ(read(steps, {0, 1, 2, 3}),
            (std::vector<std::vector<float>>{{0, 1}, {1, 2}, {2, 3}, {10, 11}}));
}

// Two of six steps: three apart, and from row to row one further on.
TEST(PieceRows, AreSpreadOverARowIfNotAllAreUsed) {
  const Matrix<float> x = numbered(4, 7);
  const MatrixRows rows(x);
  const PieceRows steps(rows, steps_of(series({7}), 7), 2);
  EXPECT_EQ(steps.rows(), 8);
  EXPECT_EQ(read(steps, {0, 1, 2, 3, 4, 5, 6, 7}),
            (std::vector<std::vector<float>>{
                {0, 1}, {3, 4}, {11, 12}, {14, 15}, {22, 23}, {25, 26}, {30, 31}, {33, 34}}));
}

TEST(SpreadRows, SpreadWholeNumbersOverTheirUnitAnewInEveryRealisation) {
  Matrix<float> x(100, 3);  // whole numbers that are given, whole ones, others
  for (Index i = 0; i < x.rows(); ++i) {
    x(i, 0) = x(i, 1) = static_cast<float>(i % 7);
    x(i, 2) = static_cast<float>(i) + 0.25F;
  }
  const MatrixRows table(x);
  std::vector<Index> all(100);
  std::iota(all.begin(), all.end(), 0);
  const SpreadRows spread(table, all, 1, Rng(5));
  EXPECT_TRUE(spread.random());
  const auto first = read(spread, all), again = read(spread, all);
  EXPECT_EQ(first, again);
  double sum = 0, squares = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    const auto& row = first[static_cast<std::size_t>(i)];
    EXPECT_EQ(row[0], x(i, 0));
    EXPECT_EQ(row[2], x(i, 2));
    const double by = static_cast<double>(row[1] - x(i, 1));
    EXPECT_LE(std::abs(by), 0.5);
    sum += by / 100;
    squares += by * by / 100;
  }
  EXPECT_NEAR(sum, 0, 4 * std::sqrt(1 / 1200.0));
  EXPECT_NEAR(squares, 1 / 12.0, 4 * std::sqrt(1 / 18000.0));
  Matrix<float> next(100, 3);
  spread.read_realisation(next, all, 1);
  EXPECT_NE(next(0, 1), first[0][1]);
  // One that is not whole is enough.
  x(50, 1) += 0.5F;
  EXPECT_FALSE(SpreadRows(table, all, 1, Rng(5)).random());
}

TEST(FunctionRows, AreAFunctionOfTheRows) {
  const Matrix<float> x = numbered(3, 2);
  const MatrixRows rows(x);
  const FunctionRows sums(rows, 1, [](MatrixView<const float> of) {
    Matrix<float> result(of.rows(), 1);
    for (Index i = 0; i < of.rows(); ++i) result(i, 0) = of(i, 0) + of(i, 1);
    return result;
  });
  EXPECT_EQ(sums.rows(), 3);
  EXPECT_EQ(read(sums, {2, 0}), (std::vector<std::vector<float>>{{41}, {1}}));
}

}  // namespace
}  // namespace hone
