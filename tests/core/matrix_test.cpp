#include "hone/core/matrix.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <gtest/gtest.h>

namespace hone {
namespace {

bool aligned(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data) % kAlignment == 0;
}

// Element (i, j) holds 10 i + j.
Matrix<float> numbered(Index rows, Index cols) {
  Matrix<float> matrix(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) matrix(i, j) = static_cast<float>(10 * i + j);
  }
  return matrix;
}

TEST(AlignedBuffer, StartsOnACacheLineAndIsZeroForAnySize) {
  for (std::size_t size = 1; size < 200; size += 7) {
    const AlignedBuffer<double> buffer(size);
    EXPECT_TRUE(aligned(buffer.data())) << size;
    EXPECT_EQ(buffer.size(), size);
    EXPECT_TRUE(std::ranges::all_of(buffer.span(), [](double value) { return value == 0; }));
  }
}

TEST(AlignedBuffer, MayBeEmpty) {
  const AlignedBuffer<float> buffer(0);
  EXPECT_EQ(buffer.size(), 0U);
  EXPECT_TRUE(buffer.span().empty());
}

TEST(Matrix, IsRowMajorWithoutPadding) {
  Matrix<float> matrix = numbered(3, 5);
  EXPECT_EQ(matrix.rows(), 3);
  EXPECT_EQ(matrix.cols(), 5);
  EXPECT_TRUE(aligned(matrix.data()));
  EXPECT_EQ(matrix.data()[1 * 5 + 2], 12);
  EXPECT_EQ(matrix.row(2)[4], 24);
  EXPECT_EQ(matrix.row(2).size(), 5U);
}

TEST(Matrix, MovesWithoutMovingItsElements) {
  Matrix<float> matrix = numbered(3, 5);
  const float* const data = matrix.data();
  const Matrix<float> moved = std::move(matrix);
  EXPECT_EQ(moved.data(), data);
  EXPECT_EQ(moved(1, 1), 11);
}

TEST(MatrixView, SeesAWindowOfALargerMatrixThroughItsStride) {
  Matrix<float> matrix = numbered(4, 6);
  const MatrixView<float> window(matrix.data() + 2, 4, 3, 6);  // columns 2 to 4
  EXPECT_EQ(window(0, 0), 2);
  EXPECT_EQ(window(3, 2), 34);
  EXPECT_EQ(window.row(1)[0], 12);
  EXPECT_EQ(window.row(1).size(), 3U);
  window(3, 2) = -1;
  EXPECT_EQ(matrix(3, 4), -1);
}

TEST(MatrixView, TakesARangeOfRows) {
  Matrix<float> matrix = numbered(5, 3);
  const MatrixView<float> middle = matrix.view().rows(1, 3);
  EXPECT_EQ(middle.rows(), 3);
  EXPECT_EQ(middle.cols(), 3);
  EXPECT_EQ(middle(0, 0), 10);
  EXPECT_EQ(middle(2, 2), 32);
}

TEST(MatrixView, BecomesReadOnlyButNeverWritableAgain) {
  Matrix<float> matrix = numbered(2, 2);
  const MatrixView<const float> view = matrix.view();
  EXPECT_EQ(view(1, 0), 10);
  static_assert(std::is_convertible_v<MatrixView<float>, MatrixView<const float>>);
  static_assert(!std::is_convertible_v<MatrixView<const float>, MatrixView<float>>);
  static_assert(std::is_convertible_v<const Matrix<float>&, MatrixView<const float>>);
  static_assert(!std::is_convertible_v<const Matrix<float>&, MatrixView<float>>);
}

TEST(MatrixView, IsEmptyWithoutRowsOrWithoutColumns) {
  EXPECT_TRUE(MatrixView<float>().empty());
  EXPECT_TRUE(MatrixView<float>(nullptr, 0, 3).empty());
  EXPECT_TRUE(MatrixView<float>(nullptr, 3, 0).empty());
  EXPECT_FALSE(numbered(1, 1).view().empty());
}

}  // namespace
}  // namespace hone
