// The density of weighted points against densities that are known.
#include "hone/posterior/weighted_density.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "hone/core/rng.h"
#include "hone/posterior/kernel_density.h"

namespace hone {
namespace {

double normal(double x, double mean, double sigma) {
  const double t = (x - mean) / sigma;
  return std::exp(-0.5 * t * t) / (sigma * std::sqrt(2 * std::numbers::pi));
}

struct Points {
  Matrix<float> at;
  std::vector<double> weights;
};

// Two modes of different widths on the first axis; the second follows the first where it is low.
double density_1(double u) {
  return 0.5 * normal(u, 0.3, 0.01) + 0.5 * normal(u, 0.7, 0.06);
}
Points two_modes(Index rows, Index dimensions, Rng rng) {
  Points points{Matrix<float>(rows, dimensions), {}};
  for (Index i = 0; i < rows; ++i) {
    const bool narrow = rng.uniform() < 0.5;
    const double u = narrow ? 0.3 + 0.01 * rng.normal() : 0.7 + 0.06 * rng.normal();
    points.at(i, 0) = static_cast<float>(u);
    if (dimensions == 2) {
      points.at(i, 1) = static_cast<float>((narrow ? 0.25 : 0.6) + 0.05 * rng.normal());
    }
    points.weights.push_back(1.0 / static_cast<double>(rows));
  }
  return points;
}
double density_2(double u, double v) {
  return 0.5 * normal(u, 0.3, 0.01) * normal(v, 0.25, 0.05) +
         0.5 * normal(u, 0.7, 0.06) * normal(v, 0.6, 0.05);
}

// Ten points that count, as where a proposal missed the posterior, among many that do not: the
// density must be as broad as they are, not a needle at each.
TEST(WeightedDensity, OfAFewHeavyPointsHasNoNeedles) {
  Points points{Matrix<float>(1000, 1), std::vector<double>(1000, 1e-9)};
  Rng rng(3);
  for (Index i = 0; i < 1000; ++i) points.at(i, 0) = float(rng.uniform());
  for (Index i = 0; i < 10; ++i) {
    points.at(i, 0) = 0.4F + 0.02F * float(i);
    points.weights[std::size_t(i)] = 0.1;
  }
  const WeightedDensity density(points.at, points.weights, {});
  double peak = 0;
  for (float u = 0; u < 1; u += 1e-4F) peak = std::max(peak, density({&u, 1}));
  EXPECT_LT(peak, 4 * 0.5 / 0.1) << "spread evenly over 0.2 their density is 5";
}

// Half of the integral of |difference|.
double distance_1(const WeightedDensity& density) {
  constexpr int kCells = 2000;
  double sum = 0;
  for (int i = 0; i < kCells; ++i) {
    const float u = (float(i) + 0.5F) / kCells;
    sum += std::abs(density({&u, 1}) - density_1(double(u))) / kCells;
  }
  return sum / 2;
}

// The expected distance of the best density with kernels of one width, for n points of a function f
// drawn from g, is at most 0.69 ((integral of f / sqrt(g))^4 integral of |f''|)^(1/5) n^(-2/5)
// (Devroye and Gyorfi 1985). Modes that lie apart add up.
double best_distance(double size_of_f, double curvature_of_f, double points) {
  return 0.69 * std::pow(std::pow(size_of_f, 4) * curvature_of_f, 0.2) * std::pow(points, -0.4);
}
// integral of |f''| of half a normal: 4 phi(1) / (2 sigma^2).
double curvature(double sigma) {
  return 0.484 / (sigma * sigma);
}

TEST(WeightedDensity, ComesNearerToANarrowAndAWideModeWithMorePoints) {
  double before = 1;
  for (const Index rows : {200, 2000, 20000}) {
    const Points points = two_modes(rows, 1, Rng(1));
    const WeightedDensity density(points.at, points.weights, {});
    EXPECT_NEAR(density.effective_size(), double(rows), 1e-6 * double(rows));
    const double now = distance_1(density);
    EXPECT_LT(now, 0.75 * before) << rows;
    before = now;
  }
  // Drawn from f itself: f / sqrt(f) of half a normal is sqrt(sigma) (2 pi)^(1/4).
  double best = 0;
  for (const double sigma : {0.01, 0.06}) {
    const double size = std::sqrt(0.5 * sigma) * std::pow(8 * std::numbers::pi, 0.25);
    best += best_distance(size, curvature(sigma), 20000);
  }
  EXPECT_LT(before, best);
}

TEST(WeightedDensity, UsesTheWeights) {
  // Uniform points, weighted by the density.
  Points points{Matrix<float>(20000, 1), {}};
  Rng rng(2);
  double sum = 0;
  for (Index i = 0; i < 20000; ++i) {
    points.at(i, 0) = float(rng.uniform());
    points.weights.push_back(density_1(double(points.at(i, 0))));
    sum += points.weights.back();
  }
  for (double& weight : points.weights) weight /= sum;
  // Kernels of half of the best width cost 0.8 sqrt(2) + 0.2 / 4 = 1.18 times as much.
  const double best =
      best_distance(0.5, curvature(0.01), 20000) + best_distance(0.5, curvature(0.06), 20000);
  EXPECT_LT(distance_1(WeightedDensity(points.at, points.weights, {})), 1.18 * best);
  const std::vector<double> equal(20000, 1.0 / 20000);
  EXPECT_GT(distance_1(WeightedDensity(points.at, equal, {})), 0.5) << "the control";
}

// At the centres of cells: the density whose kernels have the one width of the highest likelihood.
std::vector<double> kernels_of_one_width(const Points& points, int cells) {
  Matrix<double> at(points.at.rows(), 2), centres(cells * cells, 2);
  std::copy_n(points.at.data(), at.rows() * 2, at.data());
  for (Index i = 0; i < centres.rows(); ++i) {
    const Index row = i / cells, column = i % cells;
    centres(i, 0) = (double(row) + 0.5) / cells;
    centres(i, 1) = (double(column) + 0.5) / cells;
  }
  return KernelDensity({std::move(at), points.weights}, {true, true}).densities(centres);
}

TEST(WeightedDensity, OfTwoCoordinatesKnowsHowTheyGoTogether) {
  const Points points = two_modes(20000, 2, Rng(3));
  const WeightedDensity density(points.at, points.weights, {});
  constexpr int kCells = 250;
  double distance = 0, apart = 0, one_width = 0;
  const std::vector<double> fixed = kernels_of_one_width(points, kCells);
  for (int i = 0; i < kCells; ++i) {
    for (int j = 0; j < kCells; ++j) {
      const std::vector<float> at{(float(i) + 0.5F) / kCells, (float(j) + 0.5F) / kCells};
      const double u = double(at[0]), v = double(at[1]);
      const double product =
          density_1(u) * (0.5 * normal(v, 0.25, 0.05) + 0.5 * normal(v, 0.6, 0.05));
      distance += std::abs(density(at) - density_2(u, v)) / (2 * kCells * kCells);
      const auto cell = std::size_t(i) * kCells + std::size_t(j);
      one_width += std::abs(fixed[cell] - density_2(u, v)) / (2 * kCells * kCells);
      apart += std::abs(density(at) - product) / (2 * kCells * kCells);
    }
  }
  EXPECT_LT(distance, one_width);
  EXPECT_GT(apart, 0.4) << "the control: not the product of its marginals";
}

// Marginals share the lines of their coordinates.
TEST(WeightedDensity, IsTheSameFromLinesThatAreKnown) {
  const Points points = two_modes(500, 2, Rng(5));
  const WeightedDensity::Cells cells{.line = 256, .plane = 40};
  std::vector<WeightedDensity::SharedLine> lines;
  for (const Index column : {0, 1}) {
    lines.push_back(WeightedDensity::make_line(points.at, column, points.weights, cells.line));
  }
  const WeightedDensity alone(points.at, points.weights, cells);
  const WeightedDensity shared(points.at, points.weights, cells, lines);
  std::swap(lines[0], lines[1]);
  const WeightedDensity wrong(points.at, points.weights, cells, lines);
  Index different = 0;
  for (Index i = 0; i < 500; ++i) {
    EXPECT_EQ(alone(points.at.row(i)), shared(points.at.row(i)));
    different += alone(points.at.row(i)) != wrong(points.at.row(i));
  }
  EXPECT_GT(different, 400) << "the control";
}

TEST(WeightedDensity, DoesNotSinkAtTheEndsOfTheRange) {
  Points points{Matrix<float>(20000, 1), std::vector<double>(20000, 1.0 / 20000)};
  Rng rng(4);
  for (Index i = 0; i < 20000; ++i) points.at(i, 0) = float(rng.uniform());
  const WeightedDensity density(points.at, points.weights, {});
  for (const float u : {0.0005F, 0.5F, 0.9995F}) EXPECT_NEAR(density({&u, 1}), 1, 0.12) << u;
}

}  // namespace
}  // namespace hone
