#include "hone/report/contours.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "report/known_grids.h"

namespace hone {
namespace {

const Gaussian2d kGaussian{0.3, -2, 0.1, 0.5, 0.8};

MarginalGrid gaussian_grid() {
  return make_grid_2d({0, 1}, even_axis(-0.3, 0.9, 128), even_axis(-5, 1, 128), kGaussian);
}

double total_area(const std::vector<Loop>& loops) {
  double area = 0;
  for (const Loop& loop : loops) area += std::abs(loop_area(loop));
  return area;
}

TEST(Contours, OfAGaussianAreItsEllipses) {
  const MarginalGrid grid = gaussian_grid();
  for (const double level : {0.6827, 0.9545, 0.9973}) {
    const auto loops = contour_loops(grid, density_at_level(grid, level));
    ASSERT_EQ(loops.size(), 1U);
    EXPECT_NEAR(total_area(loops) / kGaussian.area(level), 1, 0.01) << level;
    // Every point lies on the ellipse: the exponent is that of the level.
    const double expected = -2 * std::log(1 - level);
    for (const Point& p : loops[0]) {
      EXPECT_NEAR(-2 * std::log(kGaussian(p.x, p.y)) / expected, 1, 0.02);
    }
  }
}

TEST(Contours, OfAWrongLevelHaveAnotherArea) {
  const MarginalGrid grid = gaussian_grid();
  const auto loops = contour_loops(grid, density_at_level(grid, 0.5));
  EXPECT_GT(std::abs(total_area(loops) / kGaussian.area(0.6827) - 1), 0.3);
}

// A ring: the hole is a loop of its own.
TEST(Contours, OfARingAreTwoCircles) {
  const auto ring = [](double x, double y) {
    const double r = std::hypot(x, y);
    return std::exp(-(r - 1) * (r - 1) / (2 * 0.01));
  };
  const MarginalGrid grid =
      make_grid_2d({0, 1}, even_axis(-2, 2, 200), even_axis(-2, 2, 200), ring);
  const double peak = *std::ranges::max_element(grid.density);
  auto loops = contour_loops(grid, peak * std::exp(-0.5));  // at r = 0.9 and 1.1
  ASSERT_EQ(loops.size(), 2U);
  std::ranges::sort(loops, {}, [](const Loop& loop) { return std::abs(loop_area(loop)); });
  EXPECT_NEAR(std::abs(loop_area(loops[0])), std::numbers::pi * 0.81, 0.02);
  EXPECT_NEAR(std::abs(loop_area(loops[1])), std::numbers::pi * 1.21, 0.02);
}

// Half a Gaussian, cut at its peak by the prior: the contour follows the edge exactly.
TEST(Contours, FollowTheEdgeOfTheRegion) {
  const Gaussian2d gaussian{0, 0, 1, 1, 0};
  const MarginalGrid grid =
      make_grid_2d({0, 1}, even_axis(0, 5, 100), even_axis(-5, 5, 200), gaussian);
  const auto loops = contour_loops(grid, density_at_level(grid, 0.6827));
  ASSERT_EQ(loops.size(), 1U);
  double least = 1;
  for (const Point& p : loops[0]) least = std::min(least, p.x);
  EXPECT_EQ(least, 0);
  EXPECT_NEAR(total_area(loops) / (gaussian.area(0.6827) / 2), 1, 0.015);
}

TEST(Contours, DoNotCrossAGap) {
  GridAxis x = even_axis(-3, 3, 90);
  // The middle third is cut away.
  for (auto* part : {&x.theta, &x.low, &x.high}) {
    part->erase(part->begin() + 30, part->begin() + 60);
  }
  const MarginalGrid grid =
      make_grid_2d({0, 1}, std::move(x), even_axis(-5, 5, 100), Gaussian2d{0, 0, 2, 1, 0});
  const auto loops = contour_loops(grid, density_at_level(grid, 0.9545));
  ASSERT_EQ(loops.size(), 2U);
  for (const Loop& loop : loops) {
    for (const Point& p : loop) EXPECT_GE(std::abs(p.x), 1 - 1e-12);
  }
}

TEST(Contours, SimplifiedStayWithinTheTolerance) {
  Loop circle;
  for (int i = 0; i < 2000; ++i) {
    const double angle = 2 * std::numbers::pi * i / 2000;
    circle.push_back({std::cos(angle), std::sin(angle)});
  }
  const Loop simple = simplify(circle, 1e-3);
  EXPECT_LT(simple.size(), 150U);
  EXPECT_GT(simple.size(), 30U);
  EXPECT_NEAR(loop_area(simple), std::numbers::pi, 0.01);
}

}  // namespace
}  // namespace hone
