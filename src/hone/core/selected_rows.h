#pragma once

#include <algorithm>
#include <span>

#include "hone/core/matrix.h"

namespace hone {

// The rows of these numbers, in this order.
template <typename T>
Matrix<T> selected_rows(const Matrix<T>& matrix, std::span<const Index> rows) {
  Matrix<T> result(std::ssize(rows), matrix.cols());
  for (Index i = 0; i < result.rows(); ++i) {
    std::ranges::copy(matrix.row(rows[static_cast<std::size_t>(i)]), result.row(i).begin());
  }
  return result;
}

}  // namespace hone
