#include "hone/posterior/lattice.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "hone/check/proposal.h"
#include "inference/support.h"

namespace hone {
namespace {

TEST(Lattice, IsTheSameSetSeenFromAnyOfItsPoints) {
  for (const Index dimensions : {1, 2, 3}) {
    const Lattice lattice = make_lattice(dimensions, 60);
    Matrix<double> from(lattice.points, dimensions),
        other = Matrix<double>(lattice.points, dimensions);
    const std::vector<double> start(static_cast<std::size_t>(dimensions), 0.3141);
    points_through(from, lattice, start);
    EXPECT_EQ(from(0, 0), 0.3141);
    points_through(other, lattice, from.row(17));
    const auto sorted = [&](const Matrix<double>& points) {
      std::vector<std::vector<double>> rows;
      for (Index i = 0; i < points.rows(); ++i) {
        rows.push_back({points.row(i).begin(), points.row(i).end()});
        for (double& value : rows.back()) value = std::round(value * 1e9) / 1e9;
      }
      std::ranges::sort(rows);
      return rows;
    };
    EXPECT_EQ(sorted(from), sorted(other));
  }
}

// Ranks of true values from the posterior of a normal with this width, computed with another one.
std::vector<double> ranks(Index points, double width, double assumed) {
  std::vector<double> result;
  const Lattice lattice = make_lattice(1, points);
  Matrix<double> at(lattice.points, 1);
  for (std::uint64_t i = 0; i < 4000; ++i) {
    Rng rng = test::test_rng().child("ranks", i);
    const double mean = 0.3 + 0.4 * rng.uniform();
    double truth = -1;
    while (truth < 0 || truth >= 1) truth = mean + width * rng.normal();
    points_through(at, lattice, std::vector{truth});
    std::vector<double> weight, value;
    for (Index j = 0; j < lattice.points; ++j) {
      const double z = (at(j, 0) - mean) / assumed;
      weight.push_back(std::exp(-z * z / 2));
      value.push_back(-weight.back());
    }
    result.push_back(weighted_rank(weight, value, rng.uniform()));
  }
  return result;
}

TEST(Lattice, RanksOfARightPosteriorAreUniformHoweverCoarseThePoints) {
  const auto uniform = [](double v) { return v; };
  for (const Index points : {3, 16, 256}) {  // three points for a posterior of width 0.02
    EXPECT_LT(test::kolmogorov(ranks(points, 0.02, 0.02), uniform), 2.2) << points;
  }
  // Negative control, at a number of points that resolves it.
  EXPECT_GT(test::kolmogorov(ranks(256, 0.02, 0.017), uniform), 2.2);
}

TEST(CircleDensity, MapsToUniformAndBack) {
  const std::vector<double> masses{0.1, 0, 0.6, 0.3};
  const CircleDensity density(0.07, masses);
  double sum = 0;
  for (int i = 0; i < 1000; ++i) {
    const double t = (i + 0.5) / 1000;
    EXPECT_NEAR(density.from_uniform(density.to_uniform(t)), t, 1e-9);
    EXPECT_GT(density.density(t), 0.05);
    sum += density.density(t) / 1000;
  }
  EXPECT_NEAR(sum, 1, 1e-2);
  EXPECT_GT(density.density(0.57), 2);  // the third cell, from 0.445 to 0.695
}

}  // namespace
}  // namespace hone
