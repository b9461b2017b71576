#include "hone/posterior/marginal_grid.h"

#include <gtest/gtest.h>

#include "hone/posterior/summary.h"
#include "inference/support.h"

namespace hone {
namespace {

using test::exact_posterior, test::gaussian, test::normal_prior, test::uniform_prior;

MarginalGrid grid_of(const Prior& prior, const test::ThetaFunction& log_ratio, Index cells = 1024,
                     const std::optional<Region>& region = {}) {
  const int dimensions = prior.dimensions();
  const TruncatedPrior truncated(prior, region.value_or(Region::whole(dimensions)));
  return make_grid(exact_posterior(truncated, joint(dimensions), {log_ratio}), cells);
}

// sum of density x volume in theta over the cells of finite size.
double integral(const MarginalGrid& grid) {
  double sum = 0;
  const GridAxis& axis = grid.axes[0];
  for (std::size_t i = 0; i < axis.cells(); ++i) {
    const double width = axis.high[i] - axis.low[i];
    if (std::isfinite(width)) sum += grid.density[i] * width;
  }
  return sum;
}

double cell_width(const MarginalGrid& grid) {
  return grid.axes[0].high[0] - grid.axes[0].low[0];
}

TEST(MarginalGrid, KnowsTheMomentsAndQuantilesOfAGaussian) {
  const MarginalGrid grid = grid_of(uniform_prior(1, -5, 5), gaussian({1}, 0.5));
  EXPECT_NEAR(grid_mean(grid), 1, 1e-4);
  EXPECT_NEAR(grid_deviation(grid), 0.5, 1e-4);
  for (const double z : {-2.0, -1.0, 0.0, 0.7, 2.5}) {
    EXPECT_NEAR(grid_quantile(grid, test::normal_cdf(z)), 1 + 0.5 * z, 1e-3) << z;
  }
  EXPECT_NEAR(integral(grid), 1, 1e-6);
  EXPECT_NEAR(*std::ranges::max_element(grid.density), 1 / (0.5 * std::sqrt(2 * M_PI)), 1e-3);
  ASSERT_EQ(grid.member_means.size(), 1u);
  EXPECT_NEAR(grid.member_means[0], 1, 1e-4);
}

TEST(MarginalGrid, HasHighestDensityIntervalsOfOneAndTwoSigma) {
  const MarginalGrid grid = grid_of(uniform_prior(1, -5, 5), gaussian({1}, 0.5));
  const double cell = cell_width(grid);
  for (const auto& [level, sigmas] : {std::pair(0.6827, 1.0), std::pair(0.9545, 2.0)}) {
    const auto intervals = highest_density_intervals(grid, level);
    ASSERT_EQ(intervals.size(), 1u);
    EXPECT_NEAR(intervals[0].low, 1 - 0.5 * sigmas, cell);
    EXPECT_NEAR(intervals[0].high, 1 + 0.5 * sigmas, cell);
    EXPECT_NEAR(density_at_level(grid, level),
                std::exp(-0.5 * sigmas * sigmas) / (0.5 * std::sqrt(2 * M_PI)), 0.02);
  }
}

TEST(MarginalGrid, HasOneIntervalPerModeAndReachesThePriorsEdge) {
  const auto two = [](std::span<const double> t) {
    return std::log(std::exp(-0.5 * std::pow((t[0] - 0.2) / 0.03, 2)) +
                    std::exp(-0.5 * std::pow((t[0] - 0.8) / 0.03, 2)));
  };
  const auto modes = highest_density_intervals(grid_of(uniform_prior(1), two), 0.9545);
  ASSERT_EQ(modes.size(), 2u);
  EXPECT_NEAR(modes[0].low, 0.2 - 0.06, 0.003);
  EXPECT_NEAR(modes[0].high, 0.2 + 0.06, 0.003);
  EXPECT_NEAR(modes[1].low, 0.8 - 0.06, 0.003);

  const auto edge =
      highest_density_intervals(grid_of(uniform_prior(1), gaussian({0}, 0.1)), 0.6827);
  ASSERT_EQ(edge.size(), 1u);
  EXPECT_EQ(edge[0].low, 0);
  EXPECT_NEAR(edge[0].high, 0.1, 0.002);  // half a normal: 68 % below one sigma
}

TEST(MarginalGrid, HasDensitiesInUnitsOfTheParameter) {
  // Prior N(0, 2), likelihood N(1, 1): posterior N(0.8, 0.8).
  const MarginalGrid normal = grid_of(normal_prior(1, 0, 2), gaussian({1}, 1));
  EXPECT_NEAR(grid_mean(normal), 0.8, 2e-3);
  EXPECT_NEAR(grid_deviation(normal), std::sqrt(0.8), 2e-3);
  EXPECT_NEAR(integral(normal), 1, 2e-3);
  EXPECT_NEAR(*std::ranges::max_element(normal.density), 1 / std::sqrt(2 * M_PI * 0.8), 2e-3);

  // Log-uniform on [0.01, 100] times theta^2 exp(-theta): p = theta exp(-theta), mean 2.
  const Prior loguniform = test::same_prior(1, {"loguniform", {{"low", 0.01}, {"high", 100}}, {}});
  const MarginalGrid gamma = grid_of(
      loguniform, [](std::span<const double> t) { return 2 * std::log(t[0]) - t[0]; }, 4096);
  EXPECT_NEAR(grid_mean(gamma), 2, 2e-3);
  EXPECT_NEAR(integral(gamma), 1, 1e-3);
  const auto at_one =
      std::size_t(std::ranges::lower_bound(gamma.axes[0].theta, 1.0) - gamma.axes[0].theta.begin());
  EXPECT_NEAR(gamma.density[at_one], std::exp(-1.0), 1e-3);
}

TEST(MarginalGrid, NeverSpansAGapOfTheRegion) {
  const std::vector<Interval> pieces{{unit_point(0.1), unit_point(0.23)},
                                     {unit_point(0.6), unit_point(0.6003)},
                                     {unit_point(0.7), unit_point(0.95)}};
  const MarginalGrid grid = grid_of(
      uniform_prior(1), [](std::span<const double>) { return 0; }, 100, Region({pieces}));
  const GridAxis& axis = grid.axes[0];
  for (std::size_t i = 0; i < axis.cells(); ++i) {
    const bool inside = std::ranges::any_of(pieces, [&](const Interval& piece) {
      return axis.low[i] >= piece.low.u - 1e-12 && axis.high[i] <= piece.high.u + 1e-12;
    });
    EXPECT_TRUE(inside) << axis.low[i] << " .. " << axis.high[i];
    EXPECT_NEAR(grid.density[i], 1 / 0.3803, 1e-9);
  }
  EXPECT_NEAR(integral(grid), 1, 1e-12);
  const auto all = highest_density_intervals(grid, 1 - 1e-9);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_NEAR(all[0].high, 0.23, 1e-12);
  EXPECT_NEAR(all[1].low, 0.6, 1e-12);
  EXPECT_NEAR(grid_quantile(grid, 0.13 / 0.3803 + 1e-9), 0.6, 1e-6);  // not inside the gap
}

TEST(MarginalGrid, ProjectsTwoDimensionsOnEach) {
  const MarginalGrid grid = grid_of(uniform_prior(2, -1, 1), gaussian({0.2, -0.3}, 0.1), 128);
  EXPECT_EQ(grid.mass.size(), 128u * 128u);
  EXPECT_NEAR(grid_mean(grid, 0), 0.2, 1e-4);
  EXPECT_NEAR(grid_mean(grid, 1), -0.3, 1e-4);
  EXPECT_NEAR(grid_deviation(grid, 1), 0.1, 1e-3);
  EXPECT_NEAR(grid_quantile(grid, 0.5, 1), -0.3, 1e-3);
  // 2 D contour at 1 - exp(-1/2) is one sigma: the density exp(-1/2) of the peak.
  EXPECT_NEAR(density_at_level(grid, 1 - std::exp(-0.5)) / *std::ranges::max_element(grid.density),
              std::exp(-0.5), 0.02);
}

TEST(MarginalGrid, SavesInfiniteEndsOfAnIntervalAndReadsThemBack) {
  // Posterior far out in the tail of the prior, where one cell reaches to infinity.
  const MarginalGrid grid = grid_of(normal_prior(1), gaussian({9}, 0.1), 64);
  Summary summary{{summarize_parameter(grid, "p0")}, {}};
  EXPECT_EQ(summary.parameters[0].interval95.back().high, INFINITY);
  const Summary again = summary_from_json(nlohmann::json::parse(to_json(summary).dump()));
  EXPECT_EQ(again.parameters[0].interval95.back().high, INFINITY);
  EXPECT_EQ(again.parameters[0].mean, summary.parameters[0].mean);
}

}  // namespace
}  // namespace hone
