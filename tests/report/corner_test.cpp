#include <gtest/gtest.h>

#include "hone/report/corner_plot.h"
#include "report/image.h"
#include "report/known_grids.h"
#include "store/test_files.h"

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

  // Colour and place of every pixel, in panels from the lower left corner.
  template <typename F>
  void each(const F& visit) const {
    const double side = panel * pixels, frame = 2;
    const double left = image.width() - (8 + 7) * pixels - 2 * side;
    const double bottom = (8 + 7) * pixels + 2 * side;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        const double px = x + 0.5 - left, py = bottom - (y + 0.5);
        if (px < frame || py < frame || px > side - frame || py > side - frame) continue;
        visit(image.at(x, y), px / side, py / side);
      }
    }
  }
};

struct Measured {
  double area = 0, x = 0, y = 0, low = 1, high = 0;  // in panels
};

// Of all pixels darker than the lightest band may be: inside the outermost contour.
Measured measure(const PanelPixels& panel, int brightest) {
  Measured m;
  double count = 0;
  panel.each([&](const Rgb& color, double x, double y) {
    if (color.red > brightest) return;
    ++count;
    m.x += x;
    m.y += y;
    m.low = std::min(m.low, x);
    m.high = std::max(m.high, x);
  });
  m.x /= count;
  m.y /= count;
  const double side = panel.panel * panel.pixels;
  m.area = count / (side * side);
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
  // Red of the bands: 255 * (1 - (1 - red) (1 - white)) with blue's red of 0: 204, 133, 51.
  const double levels[] = {0.9973, 0.9545, 0.6827};
  const int brightest[] = {230, 168, 92};
  for (int k = 0; k < 3; ++k) {
    const Measured m = measure(panel, brightest[k]);
    const double radius = std::sqrt(-2 * std::log(1 - levels[k]));
    // The outline adds half its width around the area.
    EXPECT_NEAR(std::sqrt(m.area), std::sqrt(gaussian.area(levels[k])) / width, 2.5 * pixel) << k;
    EXPECT_NEAR(m.x, -range.low / width, pixel) << k;
    EXPECT_NEAR(m.y, -range.low / width, pixel) << k;
    EXPECT_NEAR(m.low, (-radius - range.low) / width, 3 * pixel) << k;
    EXPECT_NEAR(m.high, (radius - range.low) / width, 3 * pixel) << k;
  }
  // A posterior of twice the width must not pass.
  const Measured m = measure(panel, 92);
  EXPECT_GT(std::abs(std::sqrt(m.area) - 2 * std::sqrt(gaussian.area(0.6827)) / width), 20 * pixel);
}

TEST(CornerFigure, RangesHoldThePosteriorAndLittleElse) {
  const Bounds range = corner_ranges(gaussian_plot(2))[1];
  // Where a Gaussian falls to 1e-3 of its peak: 3.717 sigma, and 4 % of the whole on each side.
  EXPECT_NEAR(range.high, 3.717 * 1.08, 0.03);
  EXPECT_NEAR(range.low, -3.717 * 1.08, 0.03);
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
    EXPECT_EQ(corner_figure(plot, format), bytes);
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

}  // namespace
}  // namespace hone
