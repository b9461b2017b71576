// Landmarks and statistics of data whose traits are known.
#include "hone/engine/traits.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "hone/core/rng.h"

namespace hone {
namespace {

EmbeddingOptions one_block(DataKind kind, std::vector<Index> shape) {
  EmbeddingOptions options{.kind = EmbeddingKind::blocks, .hidden = {}};
  options.blocks = {{.kind = kind, .shape = std::move(shape), .channels = {}, .features = 0}};
  options.traits = true;
  return options;
}

std::vector<double> traits_of(const EmbeddingOptions& options, const std::vector<double>& x) {
  const Traits traits(options);
  std::vector<double> result(static_cast<std::size_t>(traits.size()));
  traits.compute(result.data(), x.data());
  return result;
}

// From -1 to 1 along a side of n places.
double place(double at, Index n) {
  return (2 * at + 1) / static_cast<double>(n) - 1;
}

// A source of width 2 in noise of 1, eight times as high as the noise once it is smoothed.
std::vector<double> image_with_source(double x, double y, double peak, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> image;
  for (int i = 0; i < 32; ++i) {
    for (int j = 0; j < 32; ++j) {
      const double square = (i - y) * (i - y) + (j - x) * (j - x);
      image.push_back(peak * std::exp(-square / 8) + rng.normal());
    }
  }
  return image;
}

TEST(Traits, FindASourceInAnImageWithNoise) {
  const EmbeddingOptions image = one_block(DataKind::image, {32, 32});
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const std::vector<double> t = traits_of(image, image_with_source(9.3, 21.6, 4, seed));
    worst = std::max({worst, std::abs(t[1] - place(9.3, 32)), std::abs(t[2] - place(21.6, 32))});
    EXPECT_GT(t[0], std::asinh(6.0));  // the height, in deviations of the noise
  }
  // The best estimate has a deviation of width / (peak width sqrt(pi)) = 0.14 pixels; 50 x 2 of
  // them stay within 4 of these. One pixel is 1 / 16.
  EXPECT_LT(worst, 4 * 0.25 / 16);
  // Without a source it is anywhere.
  double farthest = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const std::vector<double> t = traits_of(image, image_with_source(9.3, 21.6, 0, seed));
    farthest = std::max(farthest, std::abs(t[1] - place(9.3, 32)));
  }
  EXPECT_GT(farthest, 0.3);
}

TEST(Traits, FindTheLowestValueAsWell) {
  std::vector<double> series(60, 0.0);
  series[17] = -3;
  const std::vector<double> t = traits_of(one_block(DataKind::series, {60}), series);
  EXPECT_NEAR(t[4], std::asinh(3.0), 1e-12);  // height, by the width 0: as it is
  EXPECT_NEAR(t[5], place(17, 60), 1e-12);
  EXPECT_NEAR(t[7], 0, 1e-12);
}

TEST(Traits, FindTheFrequencyOfASeries) {
  const EmbeddingOptions series = one_block(DataKind::series, {300});
  const auto frequency = [&](double step, std::uint64_t seed) {
    Rng rng(seed);
    std::vector<double> x;
    for (int t = 0; t < 300; ++t) x.push_back(2 * std::cos(step * t + 0.4) + rng.normal());
    return std::exp(traits_of(series, x)[9]) * std::numbers::pi;  // radians per place
  };
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_NEAR(frequency(0.31, seed), 0.31, 0.004);
    EXPECT_GT(std::abs(frequency(0.36, seed) - 0.31), 0.02);
  }
}

TEST(Traits, CountWhichValueFollowsWhich) {
  const EmbeddingOptions series = one_block(DataKind::series, {200});
  const Traits traits(series);
  const std::size_t lags = 10, bins = 64, first = std::size_t(traits.size()) - lags - bins;
  Rng rng(4);
  std::vector<double> x;
  for (int t = 0; t < 200; ++t) x.push_back(rng.normal());
  const std::vector<double> t = traits_of(series, x);
  EXPECT_NEAR(std::accumulate(t.begin() + Index(first), t.begin() + Index(first + bins), 0.0), 1,
              1e-12);
  // Always the same value, b_3 = -0.3, is followed by itself.
  const std::vector<double> constant = traits_of(series, std::vector<double>(200, -0.3));
  EXPECT_NEAR(constant[first + 3 * 8 + 3], 1, 1e-12);
  // The mean product of neighbours.
  double product = 0;
  for (std::size_t i = 0; i + 1 < 200; ++i) product += x[i] * x[i + 1] / 200;
  EXPECT_NEAR(t[first + bins], product, 1e-12);
}

TEST(Traits, ChangeNothingForGapsBeyondAZero) {
  const EmbeddingOptions series = one_block(DataKind::series, {40});
  std::vector<double> x(40, 1.0);
  x[7] = 0;
  const std::vector<double> with_zero = traits_of(series, x);
  x[7] = std::nan("");
  EXPECT_EQ(traits_of(series, x), with_zero);
}

TEST(Traits, VectorsAndSetsHaveNone) {
  EXPECT_EQ(Traits(one_block(DataKind::vector, {300})).size(), 0);
  EXPECT_EQ(Traits(one_block(DataKind::set, {300})).size(), 0);
}

}  // namespace
}  // namespace hone
