// Every test gives the grid the log-ratio curves of a known posterior.
#include "hone/inference/axis_cut.h"

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "hone/core/error.h"
#include "hone/inference/truncation.h"

namespace hone {
namespace {

constexpr Index kCells = 4096;
using Curve = std::function<double(double local)>;

Matrix<float> curves(const std::vector<Curve>& members, Index cells = kCells) {
  Matrix<float> result(static_cast<Index>(members.size()), cells);
  for (Index e = 0; e < result.rows(); ++e) {
    for (Index i = 0; i < cells; ++i) {
      const double local = (static_cast<double>(i) + 0.5) / static_cast<double>(cells);
      result(e, i) = static_cast<float>(members[static_cast<std::size_t>(e)](local));
    }
  }
  return result;
}

Curve gaussian(double mean, double sigma, double height = 0) {
  return [=](double u) { return height - 0.5 * std::pow((u - mean) / sigma, 2); };
}

// The higher of two, with a floor: a deep valley between two modes.
Curve two_modes(double first, double second, double sigma, double floor) {
  return [=](double u) {
    const double peak = std::max(gaussian(first, sigma)(u), gaussian(second, sigma)(u));
    return std::max(peak, floor);
  };
}

// By networks that count the same.
AxisCut cut_by(const Matrix<float>& members, const TruncationOptions& options) {
  const auto networks = static_cast<std::size_t>(members.rows());
  return cut_axis(members, std::vector(networks, 1.0 / static_cast<double>(networks)), options);
}

double low(const AxisCut& cut) {
  return static_cast<double>(cut.kept.front().begin) / kCells;
}
double high(const AxisCut& cut) {
  return static_cast<double>(cut.kept.back().end) / kCells;
}

constexpr double kCell = 1.0 / kCells;
const double kReach = std::sqrt(2 * 13.0);  // sigmas at which a Gaussian is at exp(-13) of its peak

TEST(AxisCut, KeepsAGaussianOutToEpsilonOfItsPeak) {
  const double sigma = 0.03;
  const AxisCut cut = cut_by(curves({gaussian(0.4, sigma)}), {.padding = 0});
  ASSERT_EQ(cut.kept.size(), 1U);
  EXPECT_LE(low(cut), 0.4 - kReach * sigma);
  EXPECT_GE(high(cut), 0.4 + kReach * sigma);
  EXPECT_NEAR(low(cut), 0.4 - kReach * sigma, 2 * kCell);
  EXPECT_NEAR(high(cut), 0.4 + kReach * sigma, 2 * kCell);
}

TEST(AxisCut, PadsOutwardsByAFractionOfTheAxis) {
  const AxisCut bare = cut_by(curves({gaussian(0.4, 0.03)}), {.padding = 0});
  const AxisCut padded = cut_by(curves({gaussian(0.4, 0.03)}), {.padding = 0.01});
  EXPECT_NEAR(low(bare) - low(padded), 0.01, kCell);
  EXPECT_NEAR(high(padded) - high(bare), 0.01, kCell);
}

TEST(AxisCut, DoesNotDependOnTheHeightOfTheCurve) {
  const AxisCut cut = cut_by(curves({gaussian(0.4, 0.03)}), {});
  const AxisCut raised = cut_by(curves({gaussian(0.4, 0.03, 16)}), {});
  EXPECT_EQ(cut.kept, raised.kept);
}

TEST(AxisCut, StopsAtTheEndsOfTheAxis) {
  const AxisCut cut = cut_by(curves({gaussian(1.0, 0.05)}), {});
  EXPECT_EQ(cut.kept.back().end, kCells);
  EXPECT_NEAR(cut.edge_high, 1, 1e-3);
  EXPECT_LT(cut.edge_low, 1e-5);
}

TEST(AxisCut, KeepsTheWholeAxisWhereThePosteriorIsFlat) {
  const AxisCut cut = cut_by(curves({[](double) { return 0.0; }}), {});
  EXPECT_EQ(cut.kept, (std::vector<CellRange>{{0, kCells}}));
  EXPECT_EQ(cut.lost_mass, 0);
}

TEST(AxisCut, CutsADeepWideGapBetweenTwoModes) {
  const double sigma = 0.01;
  const AxisCut cut = cut_by(curves({two_modes(0.25, 0.75, sigma, -40)}), {.padding = 0});
  ASSERT_EQ(cut.kept.size(), 2U);
  EXPECT_NEAR(static_cast<double>(cut.kept[0].end) * kCell, 0.25 + kReach * sigma, 2 * kCell);
  EXPECT_NEAR(static_cast<double>(cut.kept[1].begin) * kCell, 0.75 - kReach * sigma, 2 * kCell);
}

TEST(AxisCut, KeepsAShallowGap) {
  // Below epsilon, but by less than the margin of 3 nats.
  const AxisCut cut = cut_by(curves({two_modes(0.25, 0.75, 0.01, -15)}), {.gap_margin = 3});
  EXPECT_EQ(cut.kept.size(), 1U);
  // The same gap is cut where no margin is asked for.
  EXPECT_EQ(cut_by(curves({two_modes(0.25, 0.75, 0.01, -15)}), {.gap_margin = 0}).kept.size(), 2U);
}

TEST(AxisCut, KeepsANarrowGap) {
  const auto members = curves({two_modes(0.43, 0.57, 0.01, -40)});  // 0.04 wide at exp(-13)
  EXPECT_EQ(cut_by(members, {.gap_width = 0.05}).kept.size(), 1U);
  EXPECT_EQ(cut_by(members, {.padding = 0, .gap_width = 0.01}).kept.size(), 2U);
}

TEST(AxisCut, NeverCutsAGapInABox) {
  const AxisCut cut = cut_by(curves({two_modes(0.02, 0.98, 0.002, -40)}), {.gap_width = 1});
  EXPECT_EQ(cut.kept.size(), 1U);
}

TEST(AxisCut, IgnoresADipOfOneNetwork) {
  const Curve right = gaussian(0.5, 0.2);
  const Curve wrong = [=](double u) { return u > 0.2 && u < 0.4 ? -60.0 : right(u); };
  const AxisCut cut = cut_by(curves({wrong, right}), {});
  EXPECT_EQ(cut.kept, cut_by(curves({right}), {}).kept);
  // Alone the wrong network would have cut a hole.
  EXPECT_EQ(cut_by(curves({wrong}), {}).kept.size(), 2U);
}

TEST(AxisCut, IgnoresASpikeOfOneNetwork) {
  const Curve right = gaussian(0.5, 0.1);
  const Curve spike = [=](double u) { return right(u) + (std::abs(u - 0.9) < 0.002 ? 60 : 0); };
  const AxisCut cut = cut_by(curves({right, spike}), {});
  EXPECT_LE(low(cut), 0.5 - 4.9 * 0.1);
  EXPECT_GE(high(cut), 0.5 + 4.9 * 0.1);
  // Alone the spike would have cut the truth away.
  EXPECT_GT(low(cut_by(curves({spike}), {})), 0.8);
}

TEST(AxisCut, MostNetworksDecideAboutTails) {
  const Curve sharp = gaussian(0.5, 0.02);
  // Falls to exp(-12) only, as a network does that cannot follow a square: epsilon is exp(-13).
  const Curve blunt = [=](double u) { return std::max(sharp(u), -12.0); };
  const AxisCut alone = cut_by(curves({sharp}), {});
  EXPECT_EQ(cut_by(curves({blunt, sharp, sharp}), {}).kept, alone.kept);
  EXPECT_EQ(cut_by(curves({sharp, blunt, sharp, blunt, sharp}), {}).kept, alone.kept);
  // Half of them is not most: of two networks one alone cuts nothing, nor do 4 of 8.
  const std::vector<CellRange> all{{0, kCells}};
  EXPECT_EQ(cut_by(curves({sharp, blunt}), {}).kept, all);
  EXPECT_EQ(cut_by(curves({sharp, sharp, sharp, sharp, blunt, blunt, blunt, blunt}), {}).kept, all);
}

TEST(AxisCut, WhatOneNetworkBelievesIsNotOutvoted) {
  // Four agree on a mode at 0.3; the fifth has one at 0.7 too, with half of its mass.
  const Curve one = gaussian(0.3, 0.02), both = two_modes(0.3, 0.7, 0.02, -60);
  const Matrix<float> members = curves({one, one, both, one, one});
  const AxisCut cut = cut_by(members, {});
  EXPECT_GE(high(cut), 0.7 + kReach * 0.02);
  EXPECT_LT(cut.lost_mass, 1e-5);
  // It is if validation has shown it to be wrong: then its part in the posterior is small, too.
  const AxisCut weighted = cut_axis(members, std::vector{0.25, 0.25, 1e-4, 0.25, 0.25}, {});
  EXPECT_EQ(weighted.kept, cut_by(curves({one}), {}).kept);
  EXPECT_NEAR(weighted.lost_mass, 0.5e-4, 0.05e-4);
}

TEST(AxisCut, AsManyNetworksAgreeAsItTakes) {
  // A flat one never agrees. 3 of 5 would drop the mode at 0.7 that the fourth has, 4 of 5 do not.
  const Curve one = gaussian(0.3, 0.02), both = two_modes(0.3, 0.7, 0.02, -60);
  const Curve flat = [](double) { return 0.0; };
  const Matrix<float> members = curves({one, one, one, both, flat});
  const AxisCut cut = cut_axis(members, std::vector{0.25, 0.25, 0.25, 0.25, 0.0}, {});
  ASSERT_EQ(cut.kept.size(), 2U);
  EXPECT_GE(high(cut), 0.7 + kReach * 0.02);
  EXPECT_LT(high(cut), 0.9);
}

TEST(AxisCut, NetworksOfWhichNoTwoAgreeKeepEverythingThatOneOfThemKeeps) {
  const AxisCut cut =
      cut_by(curves({gaussian(0.2, 0.01), gaussian(0.5, 0.01), gaussian(0.8, 0.01)}), {});
  ASSERT_EQ(cut.kept.size(), 3U);
  EXPECT_LE(low(cut), 0.2 - kReach * 0.01);
  EXPECT_GE(high(cut), 0.8 + kReach * 0.01);
  EXPECT_LT(cut.lost_mass, 1e-6);
}

TEST(AxisCut, NeverKeepsLessThanTheGridResolves) {
  const double at = 1000.5 / kCells;
  for (const double sigma : {1e-9, 1e-6, 1e-5}) {
    const AxisCut cut = cut_by(curves({gaussian(at, sigma)}), {.padding = 0});
    ASSERT_EQ(cut.kept.size(), 1U);
    EXPECT_GE(cut.kept[0].end - cut.kept[0].begin, kResolvedCells) << sigma;
    EXPECT_LE(cut.kept[0].begin, 1000);
    EXPECT_GE(cut.kept[0].end, 1001);
  }
}

TEST(AxisCut, KeepsWhatTheGridResolvesAtTheEndOfTheAxis) {
  const AxisCut cut = cut_by(curves({gaussian(0.0, 1e-6)}), {.padding = 0});
  EXPECT_EQ(cut.kept.front().begin, 0);
  EXPECT_GE(cut.kept.front().end, kResolvedCells);
}

TEST(AxisCut, EstimatesTheMassItLoses) {
  // With epsilon = exp(-2) the edges lie at 2 sigma; outside is erfc(2 / sqrt 2) of the mass.
  const double sigma = 0.05;
  const AxisCut cut =
      cut_by(curves({gaussian(0.5, sigma)}), {.epsilon = std::exp(-2.0), .padding = 0});
  const double exact = std::erfc(std::sqrt(2.0));
  // The padding of one cell on each side and half a cell of rounding move the edges outwards.
  const double density_at_edge = std::exp(-2.0) / (sigma * std::sqrt(2 * M_PI));
  EXPECT_NEAR(cut.lost_mass, exact, 2 * 2 * kCell * density_at_edge);
  EXPECT_LT(cut.lost_mass, exact);
  EXPECT_NEAR(cut.edge_low, std::exp(-2.0), 0.02);
}

TEST(AxisCut, EstimatesLessThanAMillionthLostAtTheDefaultEpsilon) {
  const AxisCut cut = cut_by(curves({gaussian(0.5, 0.05)}), {});
  EXPECT_LT(cut.lost_mass, 1e-6);
  EXPECT_GT(cut.lost_mass, 0);
}

TEST(AxisCut, KeepsThePeaksOfNetworksThatDisagree) {
  const auto members = curves({gaussian(0.3, 0.02), gaussian(0.7, 0.02)});
  const AxisCut cut = cut_by(members, {});
  EXPECT_LT(cut.lost_mass, 1e-6);
  EXPECT_LE(low(cut), 0.3 - kReach * 0.02);
  EXPECT_GE(high(cut), 0.7 + kReach * 0.02);
}

TEST(AxisCut, RefusesLogRatiosThatAreNotFinite) {
  Matrix<float> members = curves({gaussian(0.5, 0.1)});
  members(0, 17) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(cut_by(members, {}), Error);
}

TEST(FittedPadding, FewSimulationsCutCarefully) {
  const auto padding_for = [](const TruncationOptions& truncation, Index rows) {
    InferenceOptions options;
    options.truncation = truncation;
    return fitted(options, {rows, rows, 1}).truncation.padding;
  };
  const TruncationOptions options{.padding = 0.01, .padding_rows = 10};
  EXPECT_DOUBLE_EQ(padding_for(options, 200), 0.05);
  EXPECT_DOUBLE_EQ(padding_for(options, 1000), 0.01);
  EXPECT_DOUBLE_EQ(padding_for(options, 100000), 0.01);
  EXPECT_DOUBLE_EQ(padding_for(options, 5), 1);
  EXPECT_DOUBLE_EQ(padding_for({.padding = 0, .padding_rows = 0}, 200), 0);
}

}  // namespace
}  // namespace hone
