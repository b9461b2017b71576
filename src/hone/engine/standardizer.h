#pragma once

#include <span>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/engine/row_source.h"

namespace hone {

// Standard scores per column: (value - mean) * inverse, inverse = 1 / standard deviation. A column
// that is constant in the training rows carries no information; its inverse is 0, so that whatever
// it holds later is ignored instead of blown up.
struct Standardizer {
  std::vector<float> mean, inverse;

  Index cols() const { return static_cast<Index>(mean.size()); }
  // out may be wider than the columns; what is beyond is left alone. out may be in.
  void apply(MatrixView<float> out, MatrixView<const float> in) const;
};

// Throws Error{input} naming the row and column of the first value that is not finite; `what` names
// the table ("x").
void check_finite(const RowSource& table, std::span<const Index> rows, const char* what);

// Statistics of the given rows, which are checked to be finite.
Standardizer fit_standardizer(const RowSource& table, std::span<const Index> rows,
                              const char* what);

}  // namespace hone
