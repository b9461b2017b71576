// Scales of the figures of a run: what a reader sees is in units of the parameters and of the data.
#include "hone/report/run_figures.h"

#include <gtest/gtest.h>

#include "hone/report/run_scales.h"

namespace hone {
namespace {

Prior prior_of(const std::string& name, const std::string& label, const DistributionSpec& spec) {
  return Prior({{name, label, make_distribution(spec)}});
}
DistributionSpec uniform(double low, double high) {
  return {"uniform", {{"low", low}, {"high", high}}, {}};
}

std::vector<std::string> ticks_of(const Axis& axis) {
  std::vector<std::string> texts;
  for (const auto& [at, text] : axis.named_ticks) texts.push_back(text);
  return texts;
}

TEST(UnitAxis, HasTicksInUnitsOfTheParameterWhereItsCdfIs) {
  const Axis linear = unit_axis(prior_of("mass", "", uniform(0, 10)), 0);
  EXPECT_EQ(linear.low, 0);
  EXPECT_EQ(linear.high, 1);
  ASSERT_GT(linear.named_ticks.size(), 2U);
  EXPECT_EQ(ticks_of(linear).back(), "10");
  for (const auto& [at, text] : linear.named_ticks) EXPECT_NEAR(10 * at, std::stod(text), 1e-9);

  const Axis logarithmic =
      unit_axis(prior_of("rate", "", {"loguniform", {{"low", 1e-4}, {"high", 1}}, {}}), 0);
  EXPECT_EQ(ticks_of(logarithmic),
            (std::vector<std::string>{"10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰"}));
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(logarithmic.named_ticks[i].first, 0.25 * static_cast<double>(i), 1e-9);
  }
}

TEST(TruncationFigure, IsInUnitsOfTheParameter) {
  ReportData data;
  data.region = Region::whole(1);
  const auto drawn = [&](double high) {
    return truncation_figure(data, prior_of("a", "", uniform(0, high)), FigureFormat::png);
  };
  // The region is the same part of both priors, only the ticks can differ.
  EXPECT_NE(drawn(1), drawn(1000));
  EXPECT_EQ(drawn(1), drawn(1));
}

TEST(ColumnScales, AreOwnOnesWhereSpreadsAreVeryDifferent) {
  const std::vector<double> low{0, -1e6}, median{1, 0}, high{2, 1e6};
  const auto scales = column_scales(low, median, high);
  ASSERT_EQ(scales.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(scales[i].of(low[i]), -1);
    EXPECT_EQ(scales[i].of(median[i]), 0);
    EXPECT_EQ(scales[i].of(high[i]), 1);
  }
  EXPECT_TRUE(
      column_scales(std::vector{0.0, 0.0}, std::vector{1.0, 5.0}, std::vector{2.0, 10.0}).empty())
      << "one scale shows both";
  const ColumnScale constant{.middle = 3, .half = 0};
  EXPECT_EQ(constant.of(3), 0);
  EXPECT_EQ(constant.of(3.1), 3);
  EXPECT_EQ(constant.of(2.9), -3);
}

ObservationBands bands(double unit) {
  return {.columns = {0, 1},
          .names = {},
          .blocks = "",
          .observed = {1.5, 0.5 * unit},
          .low = {0, -unit},
          .median = {1, 0},
          .high = {2, unit},
          .simulations = 100};
}

TEST(ObservationFigure, HasAScaleForEachColumnWhereTheyDiffer) {
  const auto drawn = [](double unit) { return observation_figure(bands(unit), FigureFormat::png); };
  EXPECT_EQ(drawn(1e3), drawn(1e9)) << "the unit of a column does not matter";
  EXPECT_NE(drawn(1), drawn(2)) << "on one scale it does";
}

TEST(CheckFigures, TitlesAreWrittenAsInOtherFigures) {
  const auto drawn = [](const std::string& name, const std::string& label) {
    const EcdfCurve curve{.marginal = name,
                          .draws = 100,
                          .at = {0, 1},
                          .ecdf = {0, 1},
                          .low = {-0.1, 0.9},
                          .high = {0.1, 1.1}};
    return ecdf_figure({curve}, "credibility", prior_of(name, label, uniform(0, 1)),
                       FigureFormat::png);
  };
  const std::string titled = drawn("theta_0", "");
  EXPECT_EQ(titled, drawn("x", "\\theta_0")) << "theta_0 is written as the letter with an index";
  EXPECT_NE(titled, drawn("x", "theta 0"));
}

}  // namespace
}  // namespace hone
