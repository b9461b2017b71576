#pragma once

#include <span>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"

namespace hone {

// Points with weights that sum to 1.
struct WeightedPoints {
  Matrix<double> points;  // (n, dimensions)
  std::vector<double> weights;
};

// A kernel density: a product of normals around every point, of width h_j = c s_j with s_j the
// standard deviation of coordinate j. One factor c for all: that with the highest likelihood of
// points that are left out, each in turn. Points that are equal (copies of one) do not vouch for
// each other.
//
// A coordinate that is `bounded` lies in [0, 1]: kernels are reflected at both ends, so that no
// mass is lost there.
class KernelDensity {
 public:
  // selection: points at most on which c is chosen; it shrinks as n^(-1/(4 + dimensions)) beyond.
  KernelDensity(WeightedPoints points, std::vector<bool> bounded, Index selection = 400);

  Index dimensions() const { return data_.points.cols(); }
  std::span<const double> widths() const { return widths_; }  // h_j

  // At rows (n, dimensions). Many rows in one or two dimensions are read off a table.
  std::vector<double> densities(MatrixView<const double> at) const;

  void draw(std::span<double> point, Rng& rng) const;

 private:
  double at_point(std::span<const double> point) const;
  std::vector<double> from_table(MatrixView<const double> at) const;

  WeightedPoints data_;
  std::vector<bool> bounded_;
  std::vector<double> widths_;
  std::vector<double> cumulative_;
};

}  // namespace hone
