#include <gtest/gtest.h>

#include "bench/rows.h"
#include "files/test_files.h"
#include "hone/bench/comparison_figure.h"
#include "hone/report/axes.h"

namespace hone {
namespace {

TEST(Axis, TicksAreRoundNumbersInside) {
  EXPECT_EQ(axis_ticks({.low = 0.48, .high = 1.02, .steps = 6}).size(), 6U);  // 0.5, ..., 1
  EXPECT_EQ(axis_ticks({.low = 700, .high = 140000, .logarithmic = true}),
            (std::vector<double>{1000, 10000, 100000}));
  EXPECT_EQ(axis_ticks({.low = 150, .high = 900, .logarithmic = true}),
            (std::vector<double>{200, 500}));
  EXPECT_EQ(axis_ticks({.low = -3, .high = 7}).front(), -2);
  EXPECT_EQ(tick_label({.low = 0, .high = 1}, 0.6000000000000001, 0.2), "0.6");
  EXPECT_EQ(tick_label({.low = 0, .high = 100}, 40, 20), "40");
  EXPECT_EQ(tick_label({.low = 1, .high = 1e6, .logarithmic = true}, 1e5, 1), "10⁵");
  EXPECT_EQ(tick_label({.low = 1e-6, .high = 1, .logarithmic = true}, 1e-3, 1), "10⁻³");
}

TEST(Axis, DataCoordinatesMapToTheFrame) {
  Canvas canvas(FigureFormat::svg, 200, 100);
  const Axes axes(canvas, {20, 10}, 100, 50, {.low = 1, .high = 100, .logarithmic = true},
                  {.low = 0, .high = 1});
  EXPECT_NEAR(axes.at(10, 0.5).x, 70, 1e-9);
  EXPECT_NEAR(axes.at(10, 0.5).y, 35, 1e-9);
  EXPECT_NEAR(axes.at(1, 1).y, 10, 1e-9);
}

TEST(Canvas, AnotherEndingIsRefused) {
  EXPECT_TRUE(contains(error_text([] { figure_format("figure.gif"); }, ErrorKind::input),
                       ".png, .svg or .pdf"));
}

TEST(C2stFigure, AFileThatCannotBeWrittenIsReported) {
  const C2stFigure figure = c2st_figure({make_row("sir", 1000, 1, 0.55, 0.6)}, published_scores());
  const auto draw = [&] { draw_c2st_figure("/nowhere/figure.png", figure); };
  EXPECT_TRUE(contains(error_text(draw), "/nowhere/figure.png"));
}

TEST(C2stFigure, HoldsOursBesideThePublishedMethods) {
  const std::vector<BenchRow> rows{
      make_row("sir", 1000, 1, 0.55, 0.6), make_row("sir", 1000, 2, 0.57, 0.66),
      make_row("sir", 10000, 1, 0.52, 0.53), make_row("two_moons", 1000, 1, 0.6, 0.7)};
  const C2stFigure figure = c2st_figure(rows, published_scores());
  ASSERT_EQ(figure.panels.size(), 4U);
  EXPECT_EQ(figure.panels[0].task, "two_moons");
  const C2stPanel& panel = figure.panels[2];  // sir, 1-d
  ASSERT_EQ(panel.series.size(), 10U);
  EXPECT_EQ(panel.series[0].name, "hone");
  EXPECT_EQ(panel.series[0].budgets, (std::vector<double>{1000, 10000}));
  EXPECT_NEAR(panel.series[0].means[0], 0.56, 1e-12);
  // Two values: standard error 0.01, Student's t with one degree of freedom 12.706.
  EXPECT_NEAR(panel.series[0].half_widths[0], 0.12706, 1e-5);
  EXPECT_EQ(panel.series[0].half_widths[1], 0);
  EXPECT_EQ(panel.series[1].budgets.size(), 3U);
}

// A study of all methods has no published numbers: every line is named by its method.
TEST(C2stFigure, NamesMethodsWhereNothingIsPublished) {
  std::vector<BenchRow> rows{make_row("torus", 1000, 1, 0.55, 0.6),
                             make_row("torus", 1000, 1, 0.57, 0.66)};
  rows[1].run.method = "snle";
  const C2stPanel panel = c2st_figure(rows, {}).panels.at(0);
  ASSERT_EQ(panel.series.size(), 2U);
  EXPECT_EQ(panel.series[0].name, "TMNRE");
  EXPECT_EQ(panel.series[1].label, "SNLE");
}

TEST(C2stFigure, IsAValidFileInEveryFormat) {
  const TemporaryDirectory scratch;
  std::vector<BenchRow> rows{make_row("sir", 1000, 1, 0.55, 0.6),
                             make_row("sir", 10000, 1, 0.52, 0.53)};
  rows.push_back(make_row("torus", 1000, 1, 0.5, 0.5));
  rows.back().run.options = "hidden=8";
  const C2stFigure figure = c2st_figure(rows, published_scores());
  for (const char* name : {"a.png", "a.svg", "a.pdf"}) {
    draw_c2st_figure(scratch.path() / name, figure);
  }
  const std::string png = bytes_of(scratch.path() / "a.png");
  const std::string svg = bytes_of(scratch.path() / "a.svg");
  const std::string pdf = bytes_of(scratch.path() / "a.pdf");
  EXPECT_TRUE(png.starts_with("\x89PNG\r\n\x1a\n"));
  EXPECT_TRUE(contains(png, "IEND"));
  EXPECT_TRUE(contains(svg, "<svg") && contains(svg, "</svg>"));
  EXPECT_TRUE(pdf.starts_with("%PDF-") && contains(pdf, "%%EOF"));
  EXPECT_GT(png.size(), 10000U);
}

}  // namespace
}  // namespace hone
