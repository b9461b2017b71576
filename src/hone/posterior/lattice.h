#pragma once

#include <span>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// Ranks of a true value in its posterior that are uniform exactly, however few points the posterior
// is computed on.
//
// The points are a lattice on the unit cube with opposite sides joined, moved so that the true
// value lies on it. Such a set is the same seen from any of its points. So, given the set, the true
// value is point j with a probability proportional to the posterior density there, w_j: the points
// carry the posterior conditional on the set, and the share of weight before the true value in any
// order, ties broken at random, is uniform. A grid that does not hold the true value, or random
// points beside it, would only come close.
struct Lattice {
  Index points = 1;
  std::vector<Index> generator;  // per dimension: point j has the coordinate j generator / points

  Index dimensions() const { return static_cast<Index>(generator.size()); }
};

// About `points` points, well spread also in all projections.
Lattice make_lattice(Index dimensions, Index points);

// out (points, dimensions): the lattice through a point, which is its first row.
void points_through(MatrixView<double> out, const Lattice& lattice, std::span<const double> point);

// The share of weight on points that come before point 0 in the order of `value`, and `part`, in
// (0, 1), of the weight of those level with it, itself included.
double weighted_rank(std::span<const double> weights, std::span<const double> value, double part);

}  // namespace hone
