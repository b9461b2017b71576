#include "hone/report/sample_grid.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "hone/core/error.h"
#include "hone/core/rng.h"

namespace hone {
namespace {

Matrix<double> correlated_normals(Index rows, double rho) {
  Matrix<double> samples(rows, 2);
  Rng rng(9);
  for (Index i = 0; i < rows; ++i) {
    samples(i, 0) = 3 + 0.5 * rng.normal();
    samples(i, 1) = rho * (samples(i, 0) - 3) / 0.5 + std::sqrt(1 - rho * rho) * rng.normal();
  }
  return samples;
}

const std::vector<ThetaInterval> kBounds = {{0, 6}, {-5, 5}};

TEST(SampleGrid, HasTheMomentsOfTheSamples) {
  const MarginalGrid grid = grid_of_samples(correlated_normals(20000, 0.6), {1, 4}, kBounds);
  EXPECT_EQ(grid.marginal, (Marginal{1, 4}));
  EXPECT_NEAR(std::accumulate(grid.mass.begin(), grid.mass.end(), 0.0), 1, 1e-12);
  EXPECT_NEAR(grid_mean(grid, 0), 3, 0.02);
  EXPECT_NEAR(grid_mean(grid, 1), 0, 0.04);
  // Wider by the kernel: sqrt(1 + 20000^(-1/3)) = 1.018.
  EXPECT_NEAR(grid_deviation(grid, 0), 0.5 * 1.018, 0.01);
  EXPECT_NEAR(grid_deviation(grid, 1), 1.018, 0.02);
  double covariance = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::size_t j = 0; j < 100; ++j) {
      covariance += grid.mass[i * 100 + j] * (grid.axes[0].theta[i] - 3) * grid.axes[1].theta[j];
    }
  }
  EXPECT_NEAR(covariance, 0.6 * 0.5, 0.02);
}

TEST(SampleGrid, KeepsTheMassAtAnEdge) {
  Matrix<double> samples(5000, 1);
  Rng rng(2);
  for (Index i = 0; i < samples.rows(); ++i) samples(i, 0) = rng.uniform();
  const MarginalGrid grid = grid_of_samples(samples, {0}, {{0, 1}}, 50);
  EXPECT_NEAR(grid.density.front(), 1, 0.15);  // not one half
  EXPECT_NEAR(grid.density.back(), 1, 0.15);
}

TEST(SampleGrid, RefusesSamplesThatLieElsewhere) {
  EXPECT_THROW(grid_of_samples(correlated_normals(10, 0), {0, 1}, {{8, 9}, {8, 9}}), Error);
}

}  // namespace
}  // namespace hone
