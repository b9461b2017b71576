// Posteriors at observations with gaps, against the exact ones of linear models.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "hone/core/cholesky.h"
#include "hone/estimate/gap_filling.h"
#include "hone/estimate/gap_regression.h"
#include "hone/posterior/combined_posterior.h"
#include "hone/posterior/marginal_grid.h"
#include "inference/support.h"

namespace hone {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
constexpr Index kColumns = 12;
constexpr double kNoise = 0.5, kCommon = 0.5;  // of a column, and of all together

// theta uniform on (-2, 2)^2.
double slope(Index column, std::size_t d) {
  return d == 0 ? std::sin(double(column)) : std::cos(double(column));
}
void linear(std::span<double> x, std::span<const double> theta, Rng noise) {
  const double common = kCommon * noise.normal();
  for (std::size_t j = 0; j < x.size(); ++j) {
    x[j] = slope(Index(j), 0) * theta[0] + slope(Index(j), 1) * theta[1] + common +
           kNoise * noise.normal();
  }
}
// An instrument that loses three values of ten, whatever they are.
void with_gaps(std::span<double> x, std::span<const double> theta, Rng noise) {
  linear(x, theta, noise.child("values"));
  Rng gaps = noise.child("gaps");
  for (double& value : x) {
    if (gaps.uniform() < 0.3) value = kGap;
  }
}

std::vector<double> observed(const std::vector<Index>& gaps) {
  std::vector<double> x(std::size_t{kColumns});
  linear(x, std::vector{0.4, -0.6}, Rng(11));
  for (const Index j : gaps) x[std::size_t(j)] = kGap;
  return x;
}
const std::vector<double> kFirst = observed({1, 4, 5, 9}), kSecond = observed({0, 2, 7, 8});

struct Moments {
  double mean, sigma;
};

// (A^T C^-1 A)^-1 and A^T C^-1 x of what is there; C = kNoise^2 + kCommon^2 everywhere.
Moments exact(const std::vector<double>& x, std::size_t d) {
  std::vector<std::array<double, 3>> rows;  // both slopes, and x
  for (Index j = 0; j < kColumns; ++j) {
    if (!std::isnan(x[std::size_t(j)])) {
      rows.push_back({slope(j, 0), slope(j, 1), x[std::size_t(j)]});
    }
  }
  // C^-1 = (1 - w 1 1^T) / kNoise^2
  const double n = static_cast<double>(rows.size());
  const double w = kCommon * kCommon / (kNoise * kNoise + n * kCommon * kCommon);
  const auto product = [&](std::size_t a, std::size_t b) {
    double both = 0, first = 0, second = 0;
    for (const auto& row : rows) {
      both += row[a] * row[b];
      first += row[a];
      second += row[b];
    }
    return (both - w * first * second) / (kNoise * kNoise);
  };
  const double a = product(0, 0), b = product(0, 1), c = product(1, 1);
  const double p = product(0, 2), q = product(1, 2), determinant = a * c - b * b;
  return d == 0 ? Moments{(c * p - b * q) / determinant, std::sqrt(c / determinant)}
                : Moments{(a * q - b * p) / determinant, std::sqrt(a / determinant)};
}

DataDescription description(Missing missing) {
  return DataDescription({{.name = "y", .shape = {kColumns}, .missing = missing}});
}

test::Laboratory laboratory(Missing missing) {
  const DataDescription data = description(missing);
  return {test::uniform_prior(2, -2, 2),
          kColumns,
          missing == Missing::random ? linear : with_gaps,
          {.may_be_missing = data.may_be_missing()},
          data};
}

void expect_near(const AmortizedPosterior& posterior, const std::vector<double>& x, double offset,
                 double width) {
  for (std::size_t d = 0; d < 2; ++d) {
    const Moments right = exact(x, d);
    const MarginalGrid grid = make_grid({posterior, {int(d)}, x}, 512);
    EXPECT_NEAR((grid_mean(grid) - right.mean) / right.sigma, 0, offset) << d;
    EXPECT_NEAR(grid_deviation(grid) / right.sigma, 1, width) << d;
  }
}

SharedPosterior regression(Missing missing) {
  test::Laboratory own = laboratory(missing);
  Simulations simulations = own.simulations();
  simulations.simulate(Region::whole(2), 1, 2000, silent_observer());
  const Dataset data = simulations.inside(Region::whole(2), 0.1);
  const InferenceOptions options = test::small_options(2000);
  const std::vector<Marginal> marginals{{0}, {1}};
  return estimate(gap_regression_estimation(),
                  {data, marginals, 1, options, Rng(4), silent_observer()})
      .posterior;
}

TEST(GapRegression, KnowsThePosteriorOfALinearModelWhateverIsMissing) {
  for (const Missing missing : {Missing::random, Missing::simulated}) {
    const SharedPosterior posterior = regression(missing);
    expect_near(*posterior, kFirst, 0.25, 0.12);
    expect_near(*posterior, kSecond, 0.25, 0.12);
    // The control: to take a gap for a zero is another answer.
    std::vector<double> zeros = kFirst;
    for (double& value : zeros) value = std::isnan(value) ? 0 : value;
    const MarginalGrid wrong = make_grid({*posterior, {1}, zeros}, 512);
    EXPECT_GT(std::abs(grid_mean(wrong) - exact(kFirst, 1).mean), 0.5 * exact(kFirst, 1).sigma);

    const SharedPosterior read = gap_regression_estimation().load(
        test::uniform_prior(2, -2, 2), Region::whole(2), posterior->to_arrays());
    EXPECT_EQ(read->estimator(), "gap_regression");
    EXPECT_EQ(make_grid({*read, {0}, kFirst}, 512).mass,
              make_grid({*posterior, {0}, kFirst}, 512).mass);
  }
}

TEST(GapRegression, KnowsThePriorWhereNothingIsThere) {
  const SharedPosterior posterior = regression(Missing::random);
  const MarginalGrid grid =
      make_grid({*posterior, {0}, std::vector<double>(std::size_t{kColumns}, kGap)}, 512);
  EXPECT_NEAR(grid_deviation(grid), 4 / std::sqrt(12.0), 0.03);
}

// Networks alone, with what they see of gaps: one small network for each parameter is off by some
// tenths of sigma.
TEST(MissingValues, AreLearnedByNetworks) {
  for (const Missing missing : {Missing::random, Missing::simulated}) {
    test::Laboratory own = laboratory(missing);
    Simulations simulations = own.simulations();
    simulations.set_observation(kFirst);
    InferenceOptions options = test::small_options(4000);
    options.estimators = Estimators::ratio;
    const InferenceResult result = test::infer(simulations, kFirst, {{0}, {1}}, options, Rng(4));
    expect_near(*result.posterior.posterior, kFirst, 0.7, 0.3);
  }
}

TEST(MissingValues, HaveARegressionAmongTheEstimators) {
  test::Laboratory own = laboratory(Missing::simulated);
  Simulations simulations = own.simulations();
  simulations.set_observation(kFirst);
  InferenceOptions options = test::small_options(2000);
  options.estimators = Estimators::evidence;
  const InferenceResult result = test::infer(simulations, kFirst, {{0}, {1}}, options, Rng(4));
  const auto& combined = dynamic_cast<const CombinedPosterior&>(*result.posterior.posterior);
  EXPECT_NE(combined.describe_shares().find("gap regression"), std::string::npos);
  expect_near(combined, kFirst, 0.3, 0.15);
}

// Filled means would scatter less than what is missing did.
TEST(FillGaps, KeepsMeansAndScatter) {
  constexpr Index n = 4000;
  Rng rng = test::test_rng();
  Matrix<float> y(n, 3);
  Matrix<double> z(n, 1);
  for (Index i = 0; i < n; ++i) {
    z(i, 0) = rng.normal();
    const double common = rng.normal();
    for (Index j = 0; j < 3; ++j) {
      y(i, j) = static_cast<float>(0.5 * z(i, 0) + common + 0.5 * rng.normal());
      if (rng.uniform() < 0.4) y(i, j) = std::numeric_limits<float>::quiet_NaN();
    }
  }
  fill_gaps(y, z, Rng(3));
  double square = 0, product = 0, with_z = 0;
  for (Index i = 0; i < n; ++i) {
    square += static_cast<double>(y(i, 0)) * static_cast<double>(y(i, 0)) / n;
    product += static_cast<double>(y(i, 0)) * static_cast<double>(y(i, 1)) / n;
    with_z += static_cast<double>(y(i, 0)) * z(i, 0) / n;
  }
  EXPECT_NEAR(square, 1.5, 0.15);
  EXPECT_NEAR(product, 1.25, 0.15);
  EXPECT_NEAR(with_z, 0.5, 0.09);
}

}  // namespace
}  // namespace hone
