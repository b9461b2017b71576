// A likelihood without networks, against exact posteriors, and where it must not count.
#include "hone/estimate/regression_likelihood.h"

#include <cmath>

#include <gtest/gtest.h>

#include "hone/posterior/combined_posterior.h"
#include "hone/posterior/marginal_grid.h"
#include "inference/support.h"

namespace hone {
namespace {

// theta uniform on (-1, 1)^2. Column j is sin(j) theta_0 + cos(j) theta_1 + kNoise noise, so that
// many columns tell as much about either parameter: sigma = kNoise / sqrt(columns / 2).
constexpr double kNoise = 0.6;
double slope(Index column, std::size_t d) {
  return d == 0 ? std::sin(double(column)) : std::cos(double(column));
}
void linear(std::span<double> x, std::span<const double> theta, Rng noise) {
  for (std::size_t j = 0; j < x.size(); ++j) {
    x[j] = slope(Index(j), 0) * theta[0] + slope(Index(j), 1) * theta[1] + kNoise * noise.normal();
  }
}

// What the data of `theta` are without noise, but for a little.
std::vector<double> observed(Index columns, std::array<double, 2> theta) {
  std::vector<double> x(static_cast<std::size_t>(columns));
  for (Index j = 0; j < columns; ++j) {
    x[std::size_t(j)] = slope(j, 0) * theta[0] + slope(j, 1) * theta[1] + 0.01 * (j % 2 ? 1 : -1);
  }
  return x;
}

struct Moments {
  double mean, sigma;
};

// Of the normal posterior of one parameter, without the ends of the prior.
Moments exact(const std::vector<double>& x, std::size_t d) {
  double a = 0, b = 0, c = 0, p = 0, q = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double s = slope(Index(j), 0), t = slope(Index(j), 1);
    a += s * s, b += s * t, c += t * t, p += s * x[j], q += t * x[j];
  }
  const double determinant = a * c - b * b;
  return d == 0 ? Moments{(c * p - b * q) / determinant, kNoise * std::sqrt(c / determinant)}
                : Moments{(a * q - b * p) / determinant, kNoise * std::sqrt(a / determinant)};
}

struct Learned {
  test::Laboratory laboratory;
  Simulations simulations;
  Dataset data;

  Learned(Index columns, Index rows, RowFunction simulate, Prior prior)
      : laboratory(std::move(prior), columns, std::move(simulate)),
        simulations(laboratory.simulations()),
        data(simulate_rows(rows)) {}

  Dataset simulate_rows(Index rows) {
    const Region whole = Region::whole(laboratory.prior().dimensions());
    simulations.simulate(whole, 1, rows, silent_observer());
    return simulations.inside(whole, 0.1);
  }
  SharedPosterior regression(const std::vector<Marginal>& marginals = {{0}, {1}}) const {
    const InferenceOptions options = test::small_options(1000);
    return estimate(regression_estimation(),
                    {data, marginals, 1, options, Rng(4), silent_observer()})
        .posterior;
  }
};

// Both parameters: means to some of the posterior's sigma, widths to a part of them.
void expect_exact(const AmortizedPosterior& posterior, const std::vector<double>& x,
                  const std::vector<double>& same_as, double offset, double width) {
  for (std::size_t d = 0; d < 2; ++d) {
    const Moments right = exact(same_as, d);
    const MarginalGrid grid = make_grid({posterior, {int(d)}, x}, 512);
    EXPECT_NEAR(grid_mean(grid), right.mean, offset * right.sigma) << d;
    EXPECT_NEAR(grid_deviation(grid) / right.sigma, 1, width) << d;
  }
}

TEST(RegressionLikelihood, GivesThePosteriorOfALinearModel) {
  const Learned learned(40, 1000, linear, test::uniform_prior(2, -1, 1));
  const SharedPosterior posterior = learned.regression();
  const std::vector<double> x = observed(40, {0.2, -0.3});
  expect_exact(*posterior, x, x, 0.3, 0.15);
  const MarginalGrid shifted = make_grid({*posterior, {0}, observed(40, {0.4, -0.3})}, 512);
  EXPECT_GT(std::abs(grid_mean(shifted) - exact(x, 0).mean), exact(x, 0).sigma) << "the control";

  const SharedPosterior read = regression_estimation().load(
      test::uniform_prior(2, -1, 1), Region::whole(2), posterior->to_arrays());
  EXPECT_EQ(read->estimator(), "regression");
  EXPECT_EQ(make_grid({*read, {0}, x}, 512).mass, make_grid({*posterior, {0}, x}, 512).mass);
}

TEST(RegressionLikelihood, DoesNotMindColumnsThatAreConstant) {
  constexpr Index kTelling = 20, kColumns = 3000;
  const auto padded = [](std::span<double> x, std::span<const double> theta, Rng noise) {
    linear(x.first(kTelling), theta, noise);
    std::ranges::fill(x.subspan(kTelling), 5.0);
  };
  const Learned learned(kColumns, 400, padded, test::uniform_prior(2, -1, 1));
  std::vector<double> x = observed(kTelling, {0.6, -0.6});
  const std::vector<double> telling = x;
  x.resize(kColumns, 5.0);
  expect_exact(*learned.regression(), x, telling, 0.35, 0.2);
}

// Every number stands there eleven times. Taken for independent they would tell eleven times as
// much, which held-out simulations notice: the likelihood is raised to a power of about 1 / 11.
TEST(RegressionLikelihood, IsNotSurerThanHeldOutSimulationsAllow) {
  constexpr Index kDistinct = 100, kCopies = 11;
  const auto copied = [](std::span<double> x, std::span<const double> theta, Rng noise) {
    linear(x.first(kDistinct), theta, noise);
    for (Index c = 1; c < kCopies; ++c) {
      std::ranges::copy(x.first(kDistinct), x.begin() + c * kDistinct);
    }
  };
  const Learned learned(kDistinct * kCopies, 1500, copied, test::uniform_prior(2, -1, 1));
  const std::vector<double> once = observed(kDistinct, {0.2, -0.3});
  std::vector<double> x;
  for (Index c = 0; c < kCopies; ++c) x.insert(x.end(), once.begin(), once.end());
  const SharedPosterior posterior = learned.regression();
  for (std::size_t d = 0; d < 2; ++d) {
    const double width = grid_deviation(make_grid({*posterior, {int(d)}, x}, 512));
    EXPECT_GT(width, 0.75 * exact(once, d).sigma) << "a third of it without that";
    EXPECT_LT(width, 1.4 * exact(once, d).sigma);
  }
}

const CombinedPosterior& combined(const SharedPosterior& posterior) {
  return dynamic_cast<const CombinedPosterior&>(*posterior);
}

SharedPosterior infer(Learned& learned, const std::vector<double>& x) {
  InferenceOptions options = test::small_options(learned.data.rows());
  options.estimators = Estimators::evidence;
  return test::infer(learned.simulations, x, {{0}}, options, Rng(4)).posterior.posterior;
}

// Beside networks it counts where it is right, and not where noise has two modes.
TEST(RegressionLikelihood, CountsByWhatItPredicts) {
  Learned normal(40, 800, linear, test::uniform_prior(2, -1, 1));
  const SharedPosterior right = infer(normal, observed(40, {0.2, -0.3}));
  EXPECT_GT(combined(right).shares(0).back(), 0.5) << right->describe_shares();

  const auto two_modes = [](std::span<double> x, std::span<const double> theta, Rng noise) {
    const double side = noise.uniform() < 0.5 ? -0.5 : 0.5;
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = theta[0] + side + 0.05 * noise.normal();
  };
  Learned modes(2, 800, two_modes, test::uniform_prior(2, -1, 1));
  const SharedPosterior wrong = infer(modes, {0.1, 0.1});
  EXPECT_LT(combined(wrong).shares(0).back(), 0.1) << wrong->describe_shares();
}

TEST(MayRegress, OnlyWithEnoughSimulationsOfParametersOnALine) {
  const auto allowed = [](Index rows, Prior prior, RowFunction simulate = linear) {
    return may_regress(Learned(3, rows, std::move(simulate), std::move(prior)).data);
  };
  EXPECT_TRUE(allowed(100, test::uniform_prior(2)));
  EXPECT_FALSE(allowed(30, test::uniform_prior(2)));
  EXPECT_FALSE(allowed(100, test::uniform_prior(20))) << "eight for each coefficient";
  EXPECT_FALSE(allowed(1500, test::uniform_prior(120))) << "more coefficients than a file may have";
  const DistributionSpec whole{"integer", {{"low", 1}, {"high", 5}}, {}};
  EXPECT_FALSE(allowed(100, test::same_prior(2, whole)));
  const auto fails_sometimes = [](std::span<double> x, std::span<const double> theta, Rng noise) {
    linear(x, theta, noise);
    if (theta[0] > 0.9) x[0] = std::nan("");
  };
  EXPECT_FALSE(allowed(200, test::uniform_prior(2), fails_sometimes));
}

}  // namespace
}  // namespace hone
