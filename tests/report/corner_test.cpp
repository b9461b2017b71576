#include <map>
#include <set>

#include <gtest/gtest.h>

#include "files/test_files.h"
#include "hone/report/corner_plot.h"
#include "hone/report/corner_scale.h"
#include "hone/report/corner_style.h"
#include "report/image.h"
#include "report/known_grids.h"

namespace hone {
namespace {

double normal(double x) {
  return std::exp(-x * x / 2);
}

// Independent standard normals, or two with a correlation.
CornerPlot gaussian_plot(int parameters, double correlation = 0) {
  CornerPlot plot;
  CornerLayer layer{"run", {}};
  for (int d = 0; d < parameters; ++d) {
    plot.parameters.push_back({.name = "theta_" + std::to_string(d), .low = -5, .high = 5});
    layer.grids.push_back(make_grid_1d(d, even_axis(-5, 5, 1024), normal));
    for (int e = 0; e < d; ++e) {
      layer.grids.push_back(make_grid_2d({e, d}, even_axis(-5, 5, 128), even_axis(-5, 5, 128),
                                         Gaussian2d{0, 0, 1, 1, correlation}));
    }
  }
  plot.layers = {layer};
  return plot;
}

// The pair panel of a figure of two parameters, without titles: the lower left one, inside of its
// frame. Margins on the right and at the top are 8 points, the gap between panels is 7.
struct PanelPixels {
  const Image& image;
  double pixels;  // per point
  double panel;   // points

  // Every pixel, with its place in panels from the lower left corner.
  template <typename F>
  void each(const F& visit) const {
    const double side = panel * pixels, frame = 2;
    const double left = image.width() - (8 + 7) * pixels - 2 * side;
    const double bottom = (8 + 7) * pixels + 2 * side;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        const double px = x + 0.5 - left, py = bottom - (y + 0.5);
        if (px < frame || py < frame || px > side - frame || py > side - frame) continue;
        visit(x, y, px / side, py / side);
      }
    }
  }
};

bool is_band(const Rgb& pixel, std::size_t level) {
  const Color color = band_color(0, level, 1);
  const auto near = [](int value, double wanted) { return std::abs(value - 255 * wanted) < 3; };
  return near(pixel.red, color.red) && near(pixel.green, color.green) &&
         near(pixel.blue, color.blue);
}

struct Measured {
  double area = 0, x = 0, y = 0, low = 1, high = 0;  // in panels
};

// The convex part of a panel that has the colours of a band and those inside of it; lines in
// between belong to it. A pixel counts if its neighbours agree: smoothed edges of lines have all
// colours.
Measured measure(const PanelPixels& panel, std::size_t level) {
  struct Row {
    double low = 1, high = 0;
  };
  const auto inside = [&](int x, int y) {
    for (std::size_t k = 0; k <= level; ++k) {
      if (is_band(panel.image.at(x, y), k)) return true;
    }
    return false;
  };
  std::map<double, Row> rows;
  panel.each([&](int i, int j, double x, double y) {
    const bool core = inside(i, j) && inside(i - 1, j) && inside(i + 1, j) && inside(i, j - 1) &&
                      inside(i, j + 1);
    if (!core) return;
    rows[y].low = std::min(rows[y].low, x);
    rows[y].high = std::max(rows[y].high, x);
  });
  const double pixel = 1 / (panel.panel * panel.pixels);
  Measured m;
  for (const auto& [y, row] : rows) {
    const double width = row.high - row.low + 3 * pixel;  // with the neighbours
    m.area += width * pixel;
    m.x += width * pixel * (row.low + row.high) / 2;
    m.y += width * pixel * y;
    m.low = std::min(m.low, row.low - pixel);
    m.high = std::max(m.high, row.high + pixel);
  }
  m.x /= m.area;
  m.y /= m.area;
  return m;
}

TEST(CornerFigure, ContoursOfAGaussianAreWhereTheyShouldBe) {
  const CornerPlot plot = gaussian_plot(2, 0.6);
  const CornerOptions options{.panel = 200, .resolution = 2, .titles = false};
  const Image image(corner_figure(plot, FigureFormat::png, options));
  const PanelPixels panel{image, 2, 200};
  const Bounds range = corner_ranges(plot)[0];
  const double width = range.high - range.low, pixel = 1 / 400.0;
  const Gaussian2d gaussian{0, 0, 1, 1, 0.6};
  for (std::size_t k = 0; k < 3; ++k) {
    const double level = kCornerLevels[k];
    const Measured m = measure(panel, k);
    const double radius = std::sqrt(-2 * std::log(1 - level));
    // The outline covers a pixel at the edge.
    EXPECT_NEAR(std::sqrt(m.area), std::sqrt(gaussian.area(level)) / width, 3 * pixel) << k;
    EXPECT_NEAR(m.x, -range.low / width, pixel) << k;
    EXPECT_NEAR(m.y, -range.low / width, pixel) << k;
    EXPECT_NEAR(m.low, (-radius - range.low) / width, 2.5 * pixel) << k;
    EXPECT_NEAR(m.high, (radius - range.low) / width, 2.5 * pixel) << k;
  }
  // A posterior a tenth wider must not pass.
  const double wider = 1.1 * std::sqrt(gaussian.area(kCornerLevels[0])) / width;
  EXPECT_GT(std::abs(std::sqrt(measure(panel, 0).area) - wider), 6 * pixel);
}

TEST(CornerFigure, RangesHoldThePosteriorAndLittleElse) {
  const Bounds range = corner_ranges(gaussian_plot(2))[1];
  // Where a Gaussian falls to 1e-3 of its peak: 3.717 sigma, and 4 % of the whole on each side.
  EXPECT_NEAR(range.high, 3.717 * 1.08, 0.03);
  EXPECT_NEAR(range.low, -3.717 * 1.08, 0.03);
}

TEST(CornerFigure, RangesHoldContoursThatAreWiderThanTheCurves) {
  // 1-d posteriors half as wide as the pair says: networks that disagree.
  CornerPlot plot = gaussian_plot(2);
  for (MarginalGrid& grid : plot.layers[0].grids) {
    if (grid.marginal.size() > 1) continue;
    grid = make_grid_1d(grid.marginal[0], even_axis(-5, 5, 1024),
                        [](double x) { return normal(2 * x); });
  }
  const double radius = std::sqrt(-2 * std::log(1 - kCornerLevels[2]));
  for (const Bounds& range : corner_ranges(plot)) {
    EXPECT_NEAR(range.high, 1.08 * radius, 0.03);
    EXPECT_NEAR(range.low, -1.08 * radius, 0.03);
  }
}

TEST(CornerFigure, IsAFileInEveryFormatAndTheSameBytesEachTime) {
  CornerPlot plot = gaussian_plot(3);
  plot.parameters[0].label = "\\Omega_b h^2";
  plot.parameters[1].truth = 0.5;
  plot.layers.push_back(plot.layers[0]);
  plot.layers[1].label = "again";
  for (const FigureFormat format : {FigureFormat::png, FigureFormat::svg, FigureFormat::pdf}) {
    const std::string bytes = corner_figure(plot, format);
    EXPECT_GT(bytes.size(), 5000U);
    EXPECT_TRUE(corner_figure(plot, format) == bytes);
  }
  const std::string svg = corner_figure(plot, FigureFormat::svg);
  EXPECT_TRUE(contains(svg, "<svg") && contains(svg, "</svg>"));
  EXPECT_FALSE(contains(svg, "<text"))
      << "letters must be outlines, fonts may be missing elsewhere";
}

TEST(CornerFigure, TwentyParametersAreOnePage) {
  const std::string bytes = corner_figure(gaussian_plot(20), FigureFormat::pdf);
  EXPECT_TRUE(bytes.starts_with("%PDF-"));
  EXPECT_LT(bytes.size(), 3000000U);
}

TEST(CornerFigure, ASubsetKeepsItsGrids) {
  const CornerPlot chosen = choose_parameters(gaussian_plot(4), {1, 3});
  ASSERT_EQ(chosen.parameters.size(), 2U);
  EXPECT_EQ(chosen.parameters[1].name, "theta_3");
  EXPECT_EQ(chosen.layers[0].grids.size(), 3U);
  EXPECT_NE(chosen.layers[0].find({0, 1}), nullptr);
  EXPECT_TRUE(contains(error_text(
                           [] {
                             choose_parameters(gaussian_plot(2), {1, 0});
                           },
                           ErrorKind::input),
                       "order"));
  EXPECT_TRUE(
      contains(error_text([] { choose_parameters(gaussian_plot(2), {2}); }, ErrorKind::input),
               "parameter 2"));
}

TEST(CornerFigure, WrongInputIsRefused) {
  const auto refused = [](const CornerPlot& plot) {
    return error_text([&] { corner_figure(plot, FigureFormat::svg); }, ErrorKind::input);
  };
  EXPECT_TRUE(contains(refused({}), "nothing to draw"));
  CornerPlot plot = gaussian_plot(2);
  plot.layers[0].grids[0].density.pop_back();
  EXPECT_TRUE(contains(refused(plot), "1023 densities"));
  plot = gaussian_plot(2);
  plot.layers[0].grids.clear();
  EXPECT_TRUE(contains(refused(plot), "no posterior of theta_0"));
  plot = gaussian_plot(2);
  plot.layers[0].grids[0].marginal = {7};
  EXPECT_TRUE(contains(refused(plot), "parameter 7"));
}

TEST(CornerScale, HasFromTwoToFiveTicksThatReadAsWhatTheyAre) {
  Canvas ruler(FigureFormat::svg, 10, 10);
  for (const double low : {-0.83, 0.549, -1e-7, 3.2e5, 17.0}) {
    for (const double width : {0.096, 1.6, 2.3, 7.1, 1234.5}) {
      for (const double panel : {44.0, 66.0, 136.0}) {
        const CornerScale scale = corner_scale(ruler, {low, low + width}, panel, 7.5);
        EXPECT_GE(scale.ticks.size(), 2U) << low << " " << width;
        EXPECT_LE(scale.ticks.size(), 5U);
        std::set<std::string> labels;
        for (const double tick : scale.ticks) {
          labels.insert(tick_label(scale.axis, tick, scale.step));
          EXPECT_TRUE(scale.shows(tick));
        }
        EXPECT_EQ(labels.size(), scale.ticks.size()) << low << " " << width << " " << panel;
      }
    }
  }
}

}  // namespace
}  // namespace hone
