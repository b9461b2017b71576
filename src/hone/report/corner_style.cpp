#include "hone/report/corner_style.h"

#include <algorithm>

namespace hone {
namespace {

constexpr Color kLayerColors[] = {palette::blue,   palette::vermilion, palette::green,
                                  palette::purple, palette::orange,    palette::sky,
                                  palette::black};
constexpr double kLegendSize = 8.5, kLine = 13, kSample = 22, kGap = 6;

Color mix_with_white(const Color& color, double share) {
  const auto mix = [share](double value) { return value + (1 - value) * share; };
  return {mix(color.red), mix(color.green), mix(color.blue)};
}

class Legend {
 public:
  Legend(Canvas& canvas, Point upper_right) : canvas_(canvas), at_(upper_right) {}

  void stroke(const std::string& text, const Stroke& line) {
    label(text);
    canvas_.line(std::vector<Point>{{at_.x - kSample, at_.y}, at_}, line);
    at_.y += kLine;
  }

  // The three bands of a layer, the innermost in the middle.
  void bands(const std::string& text, std::size_t layer, std::size_t layers) {
    label(text);
    const double middle = at_.x - kSample / 2;
    for (std::size_t level = std::size(kCornerLevels); level-- > 0;) {
      const double half = kSample / 6 * static_cast<double>(level + 1);
      canvas_.fill(std::vector<Point>{{middle - half, at_.y - 4},
                                      {middle + half, at_.y - 4},
                                      {middle + half, at_.y + 4},
                                      {middle - half, at_.y + 4}},
                   band_color(layer, level, layers));
    }
    at_.y += kLine;
  }

 private:
  void label(const std::string& text) {
    canvas_.text(text, {at_.x - kSample - kGap, at_.y},
                 {.size = kLegendSize, .color = kInk, .horizontal = 1, .vertical = 0.5});
  }

  Canvas& canvas_;
  Point at_;
};

}  // namespace

Color layer_color(std::size_t layer) {
  return kLayerColors[layer % std::size(kLayerColors)];
}

Color band_color(std::size_t layer, std::size_t level, std::size_t layers) {
  constexpr double kWhite[] = {0.2, 0.52, 0.8}, kOpacity[] = {0.42, 0.28, 0.16};
  return layers == 1 ? mix_with_white(layer_color(layer), kWhite[level])
                     : layer_color(layer).with_opacity(kOpacity[level]);
}

void draw_corner_legend(Canvas& canvas, Point upper_right, const CornerPlot& plot,
                        bool prior_bounds) {
  Legend legend(canvas, upper_right);
  const std::size_t layers = plot.layers.size();
  for (std::size_t k = 0; k < layers; ++k) {
    legend.bands(layers == 1 ? "68, 95, 99.7 %" : plot.layers[k].label, k, layers);
  }
  const auto known = [](const CornerParameter& p) { return p.truth.has_value(); };
  if (std::ranges::any_of(plot.parameters, known)) legend.stroke("truth", kTruthLine);
  if (prior_bounds) legend.stroke("edge of the prior", kPriorBound);
}

}  // namespace hone
