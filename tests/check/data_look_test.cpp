// What a first look at some simulations says, on data made to have just that property.

#include "hone/check/data_look.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "hone/core/rng.h"

namespace hone {
namespace {

constexpr Index kGroups = 5, kRepeats = 8;

using Value = std::function<double(double theta, Index column, Rng& rng)>;

std::vector<std::string> kinds(Index columns, const Value& value) {
  Rng rng(5);
  Matrix<double> x(kGroups * kRepeats, columns);
  for (Index i = 0; i < x.rows(); ++i) {
    const Index group = i / kRepeats;
    const double theta = static_cast<double>(group) + 1;
    for (Index c = 0; c < columns; ++c) x(i, c) = value(theta, c, rng);
  }
  std::vector<std::string> found;
  for (const Remark& remark : look_at_data({x, kRepeats})) found.push_back(remark.kind);
  return found;
}

bool has(const std::vector<std::string>& found, const std::string& kind) {
  return std::ranges::find(found, kind) != found.end();
}

TEST(DataLook, SeesASimulatorThatIgnoresEverything) {
  EXPECT_EQ(kinds(3, [](double, Index, Rng&) { return 1.5; }), std::vector<std::string>{"same"});
}

TEST(DataLook, SeesConstantColumnsAndScales) {
  const auto found = kinds(4, [](double theta, Index c, Rng& rng) {
    return c == 2 ? 3.0 : (theta + rng.normal()) * (c == 0 ? 1e9 : 1);
  });
  EXPECT_TRUE(has(found, "constant"));
  EXPECT_TRUE(has(found, "scales"));
}

TEST(DataLook, SeesThatTheSeedIsIgnored) {
  const auto found = kinds(10, [](double theta, Index c, Rng&) { return theta * double(c); });
  EXPECT_TRUE(has(found, "no_noise"));
}

TEST(DataLook, TellsSeriesFromImagesFromUnorderedData) {
  const auto series = [](double theta, Index c, Rng& rng) {
    return std::sin(theta + 0.05 * static_cast<double>(c)) + 0.05 * rng.normal();
  };
  EXPECT_TRUE(has(kinds(300, series), "series"));
  const auto image = [](double theta, Index c, Rng& rng) {
    const Index row = c / 20, column = c % 20;
    const double dx = static_cast<double>(column) - 3 * theta, dy = static_cast<double>(row) - 9;
    return 10 * std::exp(-(dx * dx + dy * dy) / 18) + 0.1 * rng.normal();
  };
  EXPECT_TRUE(has(kinds(400, image), "image"));
  const auto draws = [](double theta, Index, Rng& rng) { return theta + rng.normal(); };
  const auto found = kinds(400, draws);
  EXPECT_FALSE(has(found, "series") || has(found, "image"));
}

TEST(DataLook, RecognisesAdditiveGaussianNoiseAndNotOther) {
  const auto additive = [](double theta, Index c, Rng& rng) {
    return theta * std::sqrt(double(c)) + 0.3 * rng.normal();
  };
  EXPECT_TRUE(has(kinds(30, additive), "gaussian"));
  const auto scaled = [](double theta, Index, Rng& rng) { return theta * rng.normal(); };
  EXPECT_FALSE(has(kinds(30, scaled), "gaussian"));
  const auto heavy = [](double theta, Index, Rng& rng) {
    return theta + std::tan(1.5 * (2 * rng.uniform() - 1));
  };
  EXPECT_FALSE(has(kinds(30, heavy), "gaussian"));
}

TEST(DataLook, RecognisesPoissonCounts) {
  const auto counts = [](double theta, Index c, Rng& rng) {
    return static_cast<double>(rng.poisson(5 * theta + static_cast<double>(c)));
  };
  EXPECT_TRUE(has(kinds(30, counts), "poisson"));
  const auto wider = [](double theta, Index, Rng& rng) {
    return std::round(20 * theta + 15 * std::abs(rng.normal()));
  };
  EXPECT_FALSE(has(kinds(30, wider), "poisson"));
}

}  // namespace
}  // namespace hone
