#pragma once

// Inside tasks/ only: the proposals of PosteriorSampler.

#include <span>
#include <vector>

#include "hone/core/matrix.h"
#include "hone/core/rng.h"

namespace hone {

// A mixture of multivariate Student t distributions, whose tails fall more slowly than those of
// what they are fitted to.
class StudentMixture {
 public:
  struct Component {
    double weight = 1;
    std::vector<double> mean;
    Matrix<double> factor;  // lower triangle of the Cholesky factor of the scale matrix
  };

  explicit StudentMixture(std::vector<Component> components);

  // Fitted to points (n, dimensions): a Gaussian mixture by expectation maximisation, its
  // covariances taken as scale matrices. Covariances lean a little towards that of all points, so
  // that a component of few points stays regular. Throws Error{numerical} if the points have no
  // spread.
  static StudentMixture fit(MatrixView<const double> points, int components, Rng rng);

  void draw(std::span<double> z, Rng& rng) const;
  double log_density(std::span<const double> z) const;

 private:
  std::vector<Component> components_;
  std::vector<double> log_norms_;  // log weight - log det
};

}  // namespace hone
