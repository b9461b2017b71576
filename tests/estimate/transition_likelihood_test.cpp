// Series whose steps are learned one by one, and what happens if a value depends on more than the
// one before.
#include <cmath>

#include <gtest/gtest.h>

#include "hone/estimate/likelihood_estimator.h"
#include "hone/estimate/piece_summaries.h"
#include "hone/posterior/combined_posterior.h"
#include "hone/posterior/marginal_grid.h"
#include "inference/support.h"

namespace hone {
namespace {

constexpr Index kLength = 25;  // more than the likelihood of single columns takes
constexpr double kNoise = 0.5;
constexpr Index kSimulations = 4000;

DataDescription series(std::vector<Index> shape) {
  return DataDescription({{.name = "signal", .kind = DataKind::series, .shape = std::move(shape)}});
}

// The coefficient is uniform on (-1, 1), and the first value does not depend on it.
void autoregressive(std::span<double> x, std::span<const double> theta, Rng noise) {
  x[0] = noise.normal();
  for (std::size_t t = 1; t < x.size(); ++t) x[t] = theta[0] * x[t - 1] + kNoise * noise.normal();
}

// Pairs of such a series and one that follows it with the same coefficient.
void followed(std::span<double> x, std::span<const double> theta, Rng noise) {
  x[0] = noise.normal();
  x[1] = noise.normal();
  for (std::size_t t = 2; t < x.size(); t += 2) {
    x[t] = theta[0] * x[t - 2] + kNoise * noise.normal();
    x[t + 1] = theta[0] * x[t - 2] + kNoise * noise.normal();
  }
}

// Poisson counts with the mean 1 + 0.4 (1 + theta) x before.
double mean_count(double before, double theta) {
  return 1 + 0.4 * (1 + theta) * before;
}
void counts(std::span<double> x, std::span<const double> theta, Rng noise) {
  double before = 3;
  for (double& value : x) {
    const double none = std::exp(-mean_count(before, theta[0]));
    value = 0;
    for (double rest = noise.uniform(); rest > none; rest *= noise.uniform()) value += 1;
    before = value;
  }
}

// theta plus noise that is the same all along, and white noise: neighbours know more together than
// the last value alone.
constexpr double kCommon = 0.3, kWhite = 0.2;
void noisy_level(std::span<double> x, std::span<const double> theta, Rng noise) {
  const double level = theta[0] + kCommon * noise.normal();
  for (double& value : x) value = level + kWhite * noise.normal();
}

std::vector<double> observed(const RowFunction& simulate, Index columns) {
  std::vector<double> x(static_cast<std::size_t>(columns));
  simulate(x, std::vector{0.5}, Rng(24));
  return x;
}

InferenceOptions options() {
  InferenceOptions result = test::small_options(1500);
  result.estimators = Estimators::evidence;
  return result;
}

struct Moments {
  double mean = 0, deviation = 0;
};

// Of theta, from log p(x | theta).
template <typename LogLikelihood>
Moments exact(LogLikelihood&& log_likelihood) {
  constexpr int kPoints = 2000;
  double mass = 0, sum = 0, squares = 0;
  const double peak = log_likelihood(0.5);
  for (int i = 0; i < kPoints; ++i) {
    const double theta = -1 + (2 * i + 1.0) / kPoints;
    const double density = std::exp(log_likelihood(theta) - peak);
    mass += density;
    sum += density * theta;
    squares += density * theta * theta;
  }
  return {sum / mass, std::sqrt(squares / mass - sum * sum / (mass * mass))};
}

// Every value, of all channels, has the mean theta times the first channel before.
Moments exact_coefficient(const std::vector<double>& x, std::size_t channels) {
  return exact([&](double theta) {
    double log = 0;
    for (std::size_t t = channels; t < x.size(); ++t) {
      const double off = x[t] - theta * x[(t / channels - 1) * channels];
      log -= off * off / (2 * kNoise * kNoise);
    }
    return log;
  });
}

Moments exact_of_counts(const std::vector<double>& x) {
  return exact([&](double theta) {
    double log = 0, before = 3;
    for (const double n : x) {
      const double mean = mean_count(before, theta);
      log += n * std::log(mean) - mean - std::lgamma(n + 1);
      before = n;
    }
    return log;
  });
}

SharedPosterior learn_steps(const RowFunction& simulate, const DataDescription& data) {
  test::Laboratory laboratory(test::uniform_prior(1, -1, 1), data.size(), simulate, {}, data);
  Simulations simulations = laboratory.simulations();
  simulations.simulate(Region::whole(1), 1, kSimulations, silent_observer());
  const Dataset rows = simulations.inside(Region::whole(1), 0.1);
  const InferenceOptions used = options();
  return estimate(transition_likelihood_estimation(),
                  {rows, {{0}}, 2, used, test::test_rng(), silent_observer()})
      .posterior;
}

SharedPosterior learn_all(const RowFunction& simulate, const std::vector<double>& x) {
  test::Laboratory laboratory(test::uniform_prior(1, -1, 1), kLength, simulate, {},
                              series({kLength}));
  Simulations simulations = laboratory.simulations();
  return test::infer(simulations, x, {{0}}, options(), test::test_rng()).posterior.posterior;
}

double deviation(const AmortizedPosterior& posterior, const std::vector<double>& x) {
  return grid_deviation(make_grid({posterior, {0}, x}, 512));
}

double transition_share(const SharedPosterior& posterior) {
  const auto& combined = dynamic_cast<const CombinedPosterior&>(*posterior);
  for (std::size_t k = 0; k < combined.parts().size(); ++k) {
    if (combined.parts()[k]->estimator() == "transition_likelihood") return combined.shares(0)[k];
  }
  ADD_FAILURE() << "there is no transition likelihood: " << combined.describe_shares();
  return 0;
}

// The error of a density with some tens of degrees of freedom from n series is the root of these /
// n widths of the posterior, however long the series are.
void expect_exact(const AmortizedPosterior& posterior, const std::vector<double>& x,
                  const Moments& exact) {
  const MarginalGrid grid = make_grid({posterior, {0}, x}, 512);
  EXPECT_NEAR(grid_mean(grid), exact.mean, 0.15 * exact.deviation);
  EXPECT_NEAR(grid_deviation(grid), exact.deviation, 0.1 * exact.deviation);
}

TEST(TransitionLikelihood, GivesThePosteriorOfAnAutoregressiveSeries) {
  const SharedPosterior posterior = learn_steps(autoregressive, series({kLength}));
  const std::vector<double> x = observed(autoregressive, kLength);
  expect_exact(*posterior, x, exact_coefficient(x, 1));
  EXPECT_EQ(posterior->data_size(), kLength);

  // The same from its file.
  const SharedPosterior read = transition_likelihood_estimation().load(
      test::uniform_prior(1, -1, 1), Region::whole(1), posterior->to_arrays());
  EXPECT_EQ(read->estimator(), "transition_likelihood");
  EXPECT_EQ(make_grid({*read, {0}, x}, 512).mass, make_grid({*posterior, {0}, x}, 512).mass);
}

TEST(TransitionLikelihood, GivesThePosteriorOfASeriesWithChannels) {
  const SharedPosterior posterior = learn_steps(followed, series({kLength, 2}));
  const std::vector<double> x = observed(followed, 2 * kLength);
  const Moments exact = exact_coefficient(x, 2);
  expect_exact(*posterior, x, exact);
  // The control: one channel tells less than both.
  EXPECT_GT(std::sqrt(2.0) * exact.deviation, 1.2 * deviation(*posterior, x));
}

TEST(TransitionLikelihood, GivesThePosteriorOfASeriesOfCounts) {
  const SharedPosterior posterior = learn_steps(counts, series({kLength}));
  const std::vector<double> x = observed(counts, kLength);
  expect_exact(*posterior, x, exact_of_counts(x));
}

TEST(TransitionLikelihood, RefusesAFileThatDoesNotFit) {
  const SharedPosterior posterior = learn_steps(autoregressive, series({3}));
  const auto load_without = [&](const std::string& name) {
    std::vector<NamedArray> arrays = posterior->to_arrays();
    std::erase_if(arrays, [&](const NamedArray& one) { return one.name.starts_with(name); });
    transition_likelihood_estimation().load(test::uniform_prior(1, -1, 1), Region::whole(1),
                                            arrays);
  };
  EXPECT_NO_THROW(load_without("nothing"));
  EXPECT_THROW(load_without("first."), Error);
  EXPECT_THROW(load_without("steps"), Error);
}

TEST(TransitionLikelihood, CountsWhereAValueDependsOnTheOneBefore) {
  const std::vector<double> x = observed(autoregressive, kLength);
  const SharedPosterior posterior = learn_all(autoregressive, x);
  EXPECT_GT(transition_share(posterior), 0.5) << posterior->describe_shares();
  EXPECT_NE(posterior->describe_shares().find("transition likelihood"), std::string::npos);
}

// With white noise on top the product of steps counts the same again and again. It does not know;
// held-out simulations do.
TEST(TransitionLikelihood, DoesNotCountWhereNoiseHidesTheValueBefore) {
  std::vector<double> x = observed(noisy_level, kLength);
  const double mean = test::mean_of(x);  // far from the ends of the prior: in its middle
  for (double& value : x) value -= mean;
  const double exact = std::hypot(kCommon, kWhite / std::sqrt(double(kLength)));
  EXPECT_LT(deviation(*learn_steps(noisy_level, series({kLength})), x), 0.7 * exact)
      << "the control";

  const SharedPosterior all = learn_all(noisy_level, x);
  EXPECT_LT(transition_share(all), 0.25) << all->describe_shares();
  EXPECT_GT(deviation(*all, x), 0.85 * exact);
}

TEST(SeriesSummaries, KnowTheCoefficientAndTheNoise) {
  const Standardizer as_it_is{{0, 0}, {1, 1}};
  Matrix<float> x(1, 2000);
  std::vector<double> values(2000);
  autoregressive(values, std::vector{0.6}, Rng(8));
  std::ranges::transform(values, x.data(), [](double value) { return static_cast<float>(value); });
  const Matrix<float> summaries = series_summaries(x, 1, as_it_is);
  ASSERT_EQ(summaries.cols(), series_summary_count(1));
  EXPECT_EQ(summaries(0, 0), x(0, 0));
  // First value, mean, mean square; 1, x, x^2, x^3; what is left. The bend is not there.
  const double slope = static_cast<double>(summaries(0, 4));
  EXPECT_NEAR(slope, 0.6, 0.15);
  EXPECT_NEAR(static_cast<double>(summaries(0, 7)), 2 * std::log(kNoise),
              4 * std::sqrt(2 / 2000.0));
}

}  // namespace
}  // namespace hone
