// Normal likelihoods whose mean is a polynomial of the parameters, against those that made the
// data.
#include "hone/estimate/data_regression.h"

#include <cmath>

#include <gtest/gtest.h>

#include "hone/core/cholesky.h"
#include "hone/prior/standard_normal.h"
#include "inference/support.h"

namespace hone {
namespace {

TEST(PolynomialBasis, HasTheMonomialsInTheOrderOfTheirDegrees) {
  const PolynomialBasis basis(2, 2);
  EXPECT_EQ(basis.size(), 6);
  EXPECT_EQ(PolynomialBasis::size_of(2, 2), 6);
  EXPECT_EQ(PolynomialBasis::size_of(10, 3), 286);
  std::vector<double> values(6);
  basis.values(values, std::vector<double>{2, 3});
  EXPECT_EQ(values, (std::vector<double>{1, 2, 3, 4, 6, 9}));
}

TEST(PolynomialBasis, HasTheSlopesOfItsMonomials) {
  const PolynomialBasis basis(3, 4);
  constexpr double kStep = 1e-5;
  const std::vector<double> z{0.3, -1.2, 0.8};
  std::vector<double> at(std::size_t(basis.size())), above(at), below(at);
  basis.values(at, z);
  Matrix<double> slopes(basis.size(), 3);
  basis.slopes(slopes, at, z);
  for (Index d = 0; d < 3; ++d) {
    std::vector<double> moved = z;
    moved[std::size_t(d)] += kStep;
    basis.values(above, moved);
    moved[std::size_t(d)] -= 2 * kStep;
    basis.values(below, moved);
    for (Index k = 0; k < basis.size(); ++k) {
      EXPECT_NEAR(slopes(k, d), (above[std::size_t(k)] - below[std::size_t(k)]) / (2 * kStep),
                  1e-8);
    }
  }
}

// Two columns of two parameters z in (-1.7, 1.7), with noise that depends on the case.
struct Truth {
  double curve = 0;        // how much of z_0^2 is in the first column
  double correlation = 0;  // of the noise of both columns
  double growth = 0;       // of the log of the standard deviation, with z_1

  static constexpr double kSigma = 0.4;
  double sigma(std::span<const double> z) const { return kSigma * std::exp(growth * z[1]); }
  std::array<double, 2> mean(std::span<const double> z) const {
    return {0.5 * z[0] + curve * z[0] * z[0], 0.3 * z[0] - 0.6 * z[1]};
  }
  double log_likelihood(std::span<const double> y, std::span<const double> z) const {
    const auto m = mean(z);
    const double s = sigma(z), a = (y[0] - m[0]) / s, b = (y[1] - m[1]) / s;
    const double c = 1 - correlation * correlation;
    return -(a * a - 2 * correlation * a * b + b * b) / (2 * c) - 2 * std::log(s);
  }
  RegressionRows rows(Index n, Rng rng) const {
    RegressionRows result{Matrix<double>(n, 2), Matrix<double>(n, 2)};
    for (Index i = 0; i < n; ++i) {
      for (double& z : result.z.row(i)) z = (2 * rng.uniform() - 1) * std::sqrt(3);
      const auto m = mean(result.z.row(i));
      const double s = sigma(result.z.row(i)), first = rng.normal();
      result.y(i, 0) = m[0] + s * first;
      result.y(i, 1) = m[1] + s * (correlation * first +
                                   std::sqrt(1 - correlation * correlation) * rng.normal());
    }
    return result;
  }
};

// The largest error of a difference of two log likelihoods, which is all that a posterior needs,
// over parameters up to three standard deviations from those that the data are typical of.
double largest_error(const Truth& truth, const DataRegression& regression) {
  double worst = 0;
  for (const double at : {-0.8, 0.0, 0.8}) {
    const std::vector<double> typical{at, -at};
    const auto mean = truth.mean(typical);
    const std::vector<double> y{mean[0] + 0.1, mean[1] - 0.1};
    Matrix<double> z(3, 2);
    z(0, 0) = typical[0];
    z(0, 1) = typical[1];
    z(1, 0) = typical[0] + 0.6;
    z(1, 1) = typical[1];
    z(2, 0) = typical[0] - 0.3;
    z(2, 1) = typical[1] + 0.6;
    std::vector<double> log(3);
    regression.log_likelihoods(log, y, z);
    for (Index i = 1; i < 3; ++i) {
      const double exact = truth.log_likelihood(y, z.row(i)) - truth.log_likelihood(y, z.row(0));
      worst = std::max(worst, std::abs(log[std::size_t(i)] - log[0] - exact));
    }
  }
  return worst;
}

// From 4,000 rows a mean is known to about sqrt(6 / 4000) = 0.04 sigma, and a log likelihood at two
// sigma to 0.1.
constexpr Index kRows = 4000;
constexpr double kClose = 0.25;

TEST(DataRegression, FindsAPolynomial) {
  const Truth truth{.curve = 0.3};
  const RegressionRows rows = truth.rows(kRows, test::test_rng());
  EXPECT_LT(largest_error(truth, DataRegression(rows, {.degree = 2})), kClose);
  EXPECT_LT(largest_error(truth, DataRegression(rows, {.degree = 3})), kClose);
  EXPECT_GT(largest_error(truth, DataRegression(rows, {.degree = 1})), 2 * kClose) << "the control";
}

TEST(DataRegression, FindsACovariance) {
  const Truth truth{.correlation = 0.9};
  const RegressionRows rows = truth.rows(kRows, test::test_rng());
  EXPECT_LT(largest_error(truth, DataRegression(rows, {1, Scatter::correlated, 0.01})), kClose);
  EXPECT_GT(largest_error(truth, DataRegression(rows, {1, Scatter::independent})), 2 * kClose)
      << "the control";
}

TEST(DataRegression, FindsAVaryingScatter) {
  const Truth truth{.growth = 0.5};
  const RegressionRows rows = truth.rows(kRows, test::test_rng());
  EXPECT_LT(largest_error(truth, DataRegression(rows, {1, Scatter::varying})), kClose);
  EXPECT_GT(largest_error(truth, DataRegression(rows, {1, Scatter::independent})), 2 * kClose)
      << "the control";
}

// A straight line through few points: the variance of what comes next is larger by the factor
// 1 + 1/n + (z - mean)^2 / sum of squares, as every textbook says.
TEST(DataRegression, KnowsHowWellItIsKnown) {
  constexpr Index kFew = 12;
  Rng rng = test::test_rng();
  RegressionRows rows{Matrix<double>(kFew, 1), Matrix<double>(kFew, 1)};
  for (Index i = 0; i < kFew; ++i) {
    rows.z(i, 0) = rng.normal();
    rows.y(i, 0) = rng.normal();
  }
  const std::vector<double> z = test::column(rows.z, 0), y = test::column(rows.y, 0);
  const double mean = test::mean_of(z), squares = test::variance_of(z) * (kFew - 1);
  double product = 0;
  for (std::size_t i = 0; i < z.size(); ++i) product += (z[i] - mean) * y[i];
  const double unexplained =
      test::variance_of(y) * (kFew - 1) - product * product / squares;  // sum of squares
  const auto variance = [&](double at) {
    return unexplained / (kFew - 2) * (1 + 1.0 / kFew + std::pow(at - mean, 2) / squares);
  };

  const DataRegression regression(rows, {});
  // Minus the second difference of log p(y | at) - log p(y | 0) in y.
  const auto precision = [&](double at) {
    const auto log = [&](double value) {
      double result = 0;
      Matrix<double> point(1, 1);
      point(0, 0) = at;
      regression.log_likelihoods(std::span(&result, 1), std::span(&value, 1), point);
      return result;
    };
    return 2 * log(0) - log(1) - log(-1);
  };
  for (const double at : {-1.0, 0.5, 4.0}) {
    EXPECT_NEAR(precision(at), 1 / variance(at) - 1 / variance(0), 1e-5 / variance(0)) << at;
  }
}

// y = 2 z + noise in one column, z a normal score itself: the posterior is normal.
TEST(DataRegression, FindsThePeakOfANormalPosterior) {
  Rng rng = test::test_rng();
  constexpr double kNoise = 0.5;
  RegressionRows rows{Matrix<double>(kRows, 1), Matrix<double>(kRows, 1)};
  for (Index i = 0; i < kRows; ++i) {
    rows.z(i, 0) = rng.normal();
    rows.y(i, 0) = 2 * rows.z(i, 0) + kNoise * rng.normal();
  }
  const DataRegression regression(rows, {});
  const NormalScores peak =
      regression.peak(std::vector<double>{1.0}, [](Index, double score) { return score; });
  const double precision = 1 + 4 / (kNoise * kNoise);
  const double mean = 2 / (kNoise * kNoise) / precision, sigma = 1 / std::sqrt(precision);
  const double error = 4 / std::sqrt(2.0 * kRows);  // of the scale, four standard errors
  EXPECT_NEAR(peak.mean[0], mean, error * sigma);
  EXPECT_NEAR(peak.root(0, 0), sigma, error * sigma);
}

// 300 columns that depend on the parameters along two directions alone. The exact log likelihood is
// known, and how far a regression is from it between parameters a sigma apart.
double error_with_many_columns(const RegressionForm& form) {
  constexpr Index kColumns = 300, kFits = 600, kTries = 40;
  Rng rng = test::test_rng();
  const auto mean = [](std::span<const double> z, Index j) {
    return 0.1 * (std::sin(double(j)) * z[0] + std::cos(double(j)) * z[1]);
  };
  const auto draw = [&](Index n) {
    RegressionRows rows{Matrix<double>(n, kColumns), Matrix<double>(n, 2)};
    for (Index i = 0; i < n; ++i) {
      for (double& z : rows.z.row(i)) z = (2 * rng.uniform() - 1) * std::sqrt(3);
      for (Index j = 0; j < kColumns; ++j) rows.y(i, j) = mean(rows.z.row(i), j) + rng.normal();
    }
    return rows;
  };
  const DataRegression regression(draw(kFits), form);
  const RegressionRows held_out = draw(kTries);
  double squares = 0;
  for (Index i = 0; i < kTries; ++i) {
    Matrix<double> z(2, 2);
    for (Index d = 0; d < 2; ++d) z(0, d) = z(1, d) = 0.5 * held_out.z(i, d);
    z(1, 0) += 0.8;
    std::vector<double> log(2);
    regression.log_likelihoods(log, held_out.y.row(i), z);
    double exact = 0;
    for (Index j = 0; j < kColumns; ++j) {
      const double y = held_out.y(i, j);
      exact += std::pow(y - mean(z.row(0), j), 2) / 2 - std::pow(y - mean(z.row(1), j), 2) / 2;
    }
    squares += std::pow(log[1] - log[0] - exact, 2) / kTries;
  }
  return std::sqrt(squares);
}

TEST(DataRegression, LeavesOutWhatOfAMeanIsNoise) {
  const double right = error_with_many_columns({.degree = 4, .low_rank = true});
  // From 600 rows the mean of 300 columns is known to sqrt(300 / 600) along one direction, and the
  // parameters are 0.8 apart: 0.57, of which 40 tries give an estimate to 11 %.
  EXPECT_LT(right, 0.57 * 1.45);
  EXPECT_GT(error_with_many_columns({.degree = 4}), 2 * right) << "the control";
}

TEST(DataRegression, IsTheSameFromItsArrays) {
  const Truth truth{.curve = 0.3, .growth = 0.5};
  const RegressionRows rows = truth.rows(500, test::test_rng());
  for (const Scatter scatter : {Scatter::independent, Scatter::correlated, Scatter::varying}) {
    const DataRegression regression(rows, {2, scatter, 0.1});
    const DataRegression read = DataRegression::from_arrays(regression.to_arrays(), 2);
    EXPECT_EQ(largest_error(truth, read), largest_error(truth, regression));
  }
}

TEST(DataRegression, RefusesArraysThatDoNotFit) {
  const auto arrays = DataRegression(Truth{}.rows(100, test::test_rng()), {2}).to_arrays();
  const auto change = [&](const char* name, auto&& edit) {
    auto wrong = arrays;
    for (NamedArray& array : wrong) {
      if (array.name == name) edit(array);
    }
    EXPECT_THROW(DataRegression::from_arrays(wrong, 2), Error) << name;
  };
  change("degree", [](NamedArray& array) { array.values = std::vector{3.5}; });
  change("degree", [](NamedArray& array) { array.values = std::vector{1e300}; });
  change("mean", [](NamedArray& array) { array.shape = {2, 6}; });
  change("leverage", [](NamedArray& array) { array.name = "lever"; });
  change("precision", [](NamedArray& array) { array.shape = {2, 1}; });
  EXPECT_THROW(DataRegression::from_arrays(arrays, 3), Error) << "other parameters";
}

// The mean of f / q over draws from q is the integral of f.
TEST(NormalDraws, HaveTheDensityThatTheySay) {
  const auto with_last = [](double last) {
    NormalScores result{{0.7, -0.4}, Matrix<double>(2, 2)};
    result.root(0, 0) = 0.5;
    result.root(1, 0) = 0.3;
    result.root(1, 1) = last;
    return result;
  };
  const NormalScores normal = with_last(0.2), wrong = with_last(0.3);
  constexpr Index kDraws = 20'000;
  const ProposalDraws draws = draw_normal(std::span(&normal, 1), kDraws);
  double uniform = 0, first = 0, control = 0;
  for (Index i = 0; i < kDraws; ++i) {
    const double weight = std::exp(-double(draws.log_density[std::size_t(i)]));
    const std::vector<double> scores{standard_normal_quantile(double(draws.local(i, 0))),
                                     standard_normal_quantile(double(draws.local(i, 1)))};
    uniform += weight / kDraws;
    first += weight * double(draws.local(i, 0)) / kDraws;
    control += std::exp(-log_normal_proposal(wrong, scores)) / kDraws;
    // Nearer to the ends the floats of the draws tell too little.
    if (std::abs(scores[0]) > 3 || std::abs(scores[1]) > 3) continue;
    EXPECT_NEAR(log_normal_proposal(normal, scores), double(draws.log_density[std::size_t(i)]),
                1e-2);
  }
  EXPECT_NEAR(uniform, 1, 0.02);
  EXPECT_NEAR(first, 0.5, 0.02);
  EXPECT_GT(std::abs(control - 1), 0.02) << "the control";
}

}  // namespace
}  // namespace hone
