#pragma once

#include <span>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/engine/row_source.h"

namespace hone {

// Standard scores per column: (y - mean) * inverse, inverse = 1 / standard deviation. A column
// that is constant in the training rows carries no information; its inverse is 0, so that whatever
// it holds later is ignored instead of blown up.
//
// y is the value itself or, in columns with a softness > 0, asinh((value - center) / softness):
// straight near the center, a logarithm in the tails. Without it a few huge values set the scale of
// a column and the network cannot tell the ordinary ones apart.
struct Standardizer {
  std::vector<float> mean, inverse;
  std::vector<float> center = {}, softness = {};  // empty: every column as it is

  Index cols() const { return static_cast<Index>(mean.size()); }
  // out may be wider than the columns; what is beyond is left alone. out may be in.
  void apply(MatrixView<float> out, MatrixView<const float> in) const;
  float softened(float value, Index column) const;  // y
};

// Throws Error{input} naming the row and column of the first value that is not finite; `what` names
// the table ("x"). Columns marked in may_be_missing, which may be empty, may be NaN.
void check_finite(const RowSource& table, std::span<const Index> rows, const char* what,
                  std::span<const char> may_be_missing = {});

// Heavy-tailed columns as they are, or softened where that makes them look more like a Gaussian.
enum class Tails { keep, soften };

// Statistics of the given rows, which are checked as check_finite() does: of what is there.
Standardizer fit_standardizer(const RowSource& table, std::span<const Index> rows, const char* what,
                              Tails tails = Tails::keep, std::span<const char> may_be_missing = {});

}  // namespace hone
