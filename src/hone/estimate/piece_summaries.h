#pragma once

#include "hone/engine/standardizer.h"
#include "hone/estimate/data_pieces.h"

namespace hone {

// What data say that are taken apart, in few numbers: from these the densities that propose draws
// know about where the posterior is. The likelihood itself sees every piece.

// Of a set, whatever the order of its elements: the mean over them of each of their values and of
// each product of two, (n, moment_count(c)) for elements of c values. may_be_absent: over those
// that are there, and, as one more column, the logarithm of their number.
Index moment_count(Index columns, bool may_be_absent = false);
Matrix<float> element_moments(MatrixView<const float> x, Index elements,
                              bool may_be_absent = false);

// Of a series of c channels, (n, series_summary_count(c)), in the standard scores of its values:
// the first value, mean and mean square of every channel, and the regression of its next value on a
// polynomial of all channels now: the coefficients, and log of the mean square that is left. The
// first c columns of `scores` are those of the channels.
Index series_summary_count(Index channels);
Matrix<float> series_summaries(MatrixView<const float> x, Index channels,
                               const Standardizer& scores);

}  // namespace hone
