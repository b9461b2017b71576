#pragma once

#include <span>
#include <vector>

#include "hone/engine/batches.h"
#include "hone/engine/column_density.h"
#include "hone/engine/stack.h"

namespace hone {

// Covariances of standard scores: of the context's columns, then of the table's.
struct LinearStart {
  Matrix<double> covariance;
  Index contexts = 0;  // columns of the context
  Index rows = 0;      // that it was measured on
};

// Measures them on the given rows of x (data as standard scores) and theta (rows, parameters).
// `data_first`: data are the context.
LinearStart measure_covariance(SegmentReader& x, Index data_columns, MatrixView<const float> theta,
                               std::span<const Index> rows, std::uint64_t realisation,
                               bool data_first);

// The first weights of the output layer, from output `first` on: a density around the regression of
// the last of `columns` on the context and the columns before it (0 without a start), as wide as
// the scatter around it. Components of a mixture lie side by side; a spline is the identity. With a
// start nothing but the regression is said at first.
void start_density(std::span<float> parameters, const NetworkLayout& layout,
                   const DensityShape& shape, std::span<const int> columns,
                   const LinearStart* start, Index first = 0);

}  // namespace hone
