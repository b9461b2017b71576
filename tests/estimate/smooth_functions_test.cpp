// Regressions of what images have in few numbers, against what made them.
#include "hone/estimate/smooth_functions.h"

#include <cmath>

#include <gtest/gtest.h>

#include "hone/estimate/regression_likelihood.h"
#include "hone/posterior/marginal_grid.h"
#include "inference/support.h"

namespace hone {
namespace {

// Two broad sources at fixed places, with brightnesses theta, in an image with noise.
constexpr Index kSide = 20, kPixels = kSide * kSide;
double source(Index pixel, std::size_t d) {
  const double row = double(Index{pixel / kSide}) - 10,
               column = double(pixel % kSide) - (d == 0 ? 7 : 12);
  return 0.5 * std::exp(-(row * row + column * column) / 18);
}
void image(std::span<double> x, std::span<const double> theta, Rng noise) {
  for (Index j = 0; j < kPixels; ++j) {
    x[std::size_t(j)] = theta[0] * source(j, 0) + theta[1] * source(j, 1) + noise.normal();
  }
}

DataDescription as_image() {
  return DataDescription({{.name = "map", .kind = DataKind::image, .shape = {kSide, kSide}}});
}

struct Images {
  test::Laboratory laboratory;
  Simulations simulations;
  Dataset data;

  explicit Images(Index rows)
      : laboratory(test::uniform_prior(2, -1, 1), kPixels, image),
        simulations(laboratory.simulations()),
        data(simulate(rows)) {}
  Dataset simulate(Index rows) {
    simulations.simulate(Region::whole(2), 1, rows, silent_observer());
    return simulations.inside(Region::whole(2), 0.1);
  }
  SharedPosterior learn(DataDescription description) {
    data.description = std::move(description);
    return estimate(
               regression_estimation(),
               {data, {{0}, {1}}, 1, test::small_options(data.rows()), Rng(4), silent_observer()})
        .posterior;
  }
};

// The normal posterior of an image without noise in the middle of the prior.
double exact_width() {
  double a = 0, b = 0, c = 0;
  for (Index j = 0; j < kPixels; ++j) {
    a += source(j, 0) * source(j, 0);
    b += source(j, 0) * source(j, 1);
    c += source(j, 1) * source(j, 1);
  }
  return std::sqrt(c / (a * c - b * b));
}

bool has_functions(const AmortizedPosterior& posterior) {
  const auto arrays = posterior.to_arrays();
  return std::ranges::find(arrays, "functions", &NamedArray::name) != arrays.end();
}

TEST(SmoothFunctions, GiveThePosteriorOfAnImageFromFewSimulations) {
  Images images(400);
  const SharedPosterior posterior = images.learn(as_image());
  ASSERT_TRUE(has_functions(*posterior)) << "smooth sums predict better than pixels";
  EXPECT_FALSE(has_functions(*images.learn({}))) << "of a vector nothing is smooth";
  EXPECT_EQ(posterior->data_size(), kPixels);

  std::vector<double> x(kPixels);
  for (Index j = 0; j < kPixels; ++j) {
    x[std::size_t(j)] = 0.2 * source(j, 0) - 0.1 * source(j, 1);
  }
  for (const int d : {0, 1}) {
    const MarginalGrid grid = make_grid({*posterior, {d}, x}, 512);
    EXPECT_NEAR(grid_mean(grid), d == 0 ? 0.2 : -0.1, 0.4 * exact_width()) << d;
    EXPECT_NEAR(grid_deviation(grid) / exact_width(), 1, 0.2) << d;
  }
  const auto& likelihood = dynamic_cast<const LikelihoodPosterior&>(*posterior);
  EXPECT_FALSE(likelihood.log_evidence(Matrix<float>(1, kPixels)).has_value())
      << "sums have no density of the data";

  const auto arrays = posterior->to_arrays();
  const SharedPosterior read =
      regression_estimation().load(test::uniform_prior(2, -1, 1), Region::whole(2), arrays);
  EXPECT_EQ(make_grid({*read, {0}, x}, 128).mass, make_grid({*posterior, {0}, x}, 128).mass);
  auto wrong = arrays;
  for (NamedArray& array : wrong) {
    if (array.name == "functions") array.shape = {array.shape[1], array.shape[0]};
  }
  EXPECT_THROW(regression_estimation().load(test::uniform_prior(2, -1, 1), Region::whole(2), wrong),
               Error);
}

// Of pure noise with another strength in every pixel.
TEST(SmoothFunctions, HaveIndependentNoiseOfUnitVariance) {
  constexpr Index kRows = 2000;
  Rng rng = test::test_rng();
  RegressionRows rows{Matrix<double>(kRows, kPixels), Matrix<double>(kRows, 1)};
  for (Index i = 0; i < kRows; ++i) {
    rows.z(i, 0) = rng.normal();
    for (Index j = 0; j < kPixels; ++j) rows.y(i, j) = (0.2 + 0.01 * double(j)) * rng.normal();
  }
  const auto tables = smooth_functions(as_image(), rows);
  ASSERT_EQ(tables.size(), 3U);
  EXPECT_TRUE(smooth_functions({}, rows).empty()) << "undeclared";
  const RegressionRows seen = seen_through(tables[1], rows);
  ASSERT_EQ(seen.y.cols(), 25);
  for (Index a = 0; a < seen.y.cols(); ++a) {
    for (Index b = 0; b <= a; ++b) {
      double sum = 0;
      for (Index i = 0; i < kRows; ++i) sum += seen.y(i, a) * seen.y(i, b) / kRows;
      // Standard errors: sqrt(2 / n) of a variance; 4.5 of them for 325 numbers.
      EXPECT_NEAR(sum, a == b ? 1 : 0, 4.5 * std::sqrt(2.0 / kRows)) << a << " " << b;
    }
  }
}

}  // namespace
}  // namespace hone
