#pragma once

#include <cstdint>
#include <span>

#include "hone/core/matrix.h"
#include "hone/engine/batches.h"

namespace hone {

// Realisations for the start of an embedding: far from those of any epoch.
constexpr std::uint64_t kFirstRealisationOfStart = std::uint64_t{1} << 40;

// Weights of a linear compression to begin with: one feature for each parameter, its estimate
// theta^ = x W, with W near the least-squares solution of E |x W - theta|^2.
//
// Random weights drown what a few columns know of a parameter in the noise of all others. The exact
// solution needs the covariance of all columns, which is too large for thousands of them. So W is
// found by steps: begin with every column weighed by the parameters' line in it over its variance
// around that line, then go down the gradient, preconditioned by these variances. Each step is the
// best one within the span of the weights so far, the gradient and the step before (as conjugate
// gradients), judged on data that have not been used to find the directions: a step into noise is
// not taken.
//
// x: standard scores with `columns` columns. theta: standard scores, all rows. If x is random,
// every step reads fresh realisations, beginning with number `first`; if not, each reads one half
// of the rows, and only one step is made. Returns W: (columns, parameters).
Matrix<float> linear_start(SegmentReader& x, Index columns, MatrixView<const float> theta,
                           std::span<const Index> rows, bool random, std::uint64_t first);

// Rescales columns of x by what they tell: those with large weights get larger scores and, in
// return, smaller weights, so that x W stays as it is. A step of Adam moves all weights alike; so
// the columns that matter learn faster than the many that hardly do.
void scale_columns(Standardizer& x, Matrix<float>& weights);

}  // namespace hone
