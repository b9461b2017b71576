#pragma once

#include <span>
#include <vector>

namespace hone {

// What the past of a series says about its future, as numbers: mean products of values 0 to 3
// places apart; and of regressions of a value on polynomials of degree 1, 3 and 5 of the one before
// the coefficients (of the first two) and the logarithm of the residual variance. A parameter of a
// process that remembers only its last value is often in these and in nothing else.
// x: in units in which values are about 1.
void append_series_functions(std::vector<float>& out, std::span<const double> x);

}  // namespace hone
