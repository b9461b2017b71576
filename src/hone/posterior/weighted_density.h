#pragma once

#include <memory>
#include <span>
#include <vector>

#include "hone/core/matrix.h"

namespace hone {

// The density of points with weights on the unit cube, smoothed.
//
// One coordinate: every point is a kernel about as wide as the distance to its neighbours that hold
// a certain part of the weight, on the side where they are nearer; narrow peaks stay narrow next to
// wide ones. Several: the density of their ranks (each coordinate through its own distribution
// function) times those of one coordinate; with two, kernels of the ranks are narrower where there
// are more points. Kernels are reflected at the ends of the cube.
class WeightedDensity {
 public:
  struct Cells {
    Index line = 2048, plane = 96;  // of the tables, per coordinate
  };
  // One coordinate of the points, smoothed: marginals that share it need not smooth it again.
  struct Line {
    std::vector<double> density, below;  // per cell; mass below each cell's lower edge, and 1
    double at(double u) const;
    double rank(double u) const;
  };
  using SharedLine = std::shared_ptr<const Line>;

  // points: (n, dimensions)  weights: (n), sum to 1
  WeightedDensity(MatrixView<const float> points, std::span<const double> weights, Cells cells);
  // The same from lines that are known, by make_line() of each column.
  WeightedDensity(MatrixView<const float> points, std::span<const double> weights, Cells cells,
                  std::vector<SharedLine> lines);
  static SharedLine make_line(MatrixView<const float> points, Index column,
                              std::span<const double> weights, Index cells);

  double operator()(std::span<const float> point) const;
  double effective_size() const { return effective_size_; }  // of the points: 1 / sum of squares

 private:
  void make_plane(Index cells);

  double effective_size_ = 0;
  std::vector<double> weights_;  // of more than two coordinates only, as the ranks
  std::vector<SharedLine> lines_;
  Matrix<double> ranks_;  // (n, dimensions)
  Matrix<double> plane_;  // density of two ranks
};

}  // namespace hone
