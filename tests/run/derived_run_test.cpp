// Derived quantities of a run: their posteriors, asked for before or afterwards.

#include <cmath>

#include <gtest/gtest.h>

#include "hone/check/check_run.h"
#include "hone/inference/option_table.h"
#include "hone/posterior/sampling.h"
#include "hone/problem/problem.h"
#include "hone/run/execute_run.h"
#include "hone/run/finished_run.h"
#include "inference/support.h"

namespace hone {
namespace {

using test::additive_noise, test::column, test::mean_of, test::variance_of;

constexpr double kSigma = 0.2;
const std::vector<double> kObservation{0.9, 1.4};

InferenceOptions quick_options() {
  InferenceOptions options = test::small_options(2000);
  options.training.max_epochs = 5;
  options.density.steps = 100;
  return options;
}

InferenceOptions default_options(const std::string& method) {
  InferenceOptions options = preset("default");
  options.budget = 5000;
  options.method = method;
  return options;
}

RunSpec spec(std::vector<DerivedQuantity> derived,
             const InferenceOptions& options = quick_options()) {
  const Prior prior = test::uniform_prior(2, -3, 3).with_derived(std::move(derived));
  return {.name = "test",
          .simulator = {},
          .seed = 7,
          .prior = prior,
          .observation = kObservation,
          .marginals = marginals_from_words({}, prior),
          .options = options};
}

RunDirectory execute(const std::filesystem::path& path, const RunSpec& spec) {
  RunDirectory run = RunDirectory::create(path, spec);
  const auto simulator = make_simulator(2, additive_noise(kSigma));
  const auto executor = make_thread_executor(*simulator);
  execute_run(run, {*executor});
  return run;
}

// Draws of the exact posterior, independent normal ones around the data.
Matrix<double> exact_draws(Index rows) {
  Matrix<double> theta(rows, 2);
  Rng rng = test::test_rng().child("exact");
  for (Index i = 0; i < rows; ++i) {
    for (Index d = 0; d < 2; ++d)
      theta(i, d) = kObservation[std::size_t(d)] + kSigma * rng.normal();
  }
  return theta;
}

struct Misfit {
  double shift, width;  // in standard deviations; ratio of them
};
Misfit misfit(const ParameterSummary& found, const std::string& formula) {
  const auto values = Expression(formula, {"p0", "p1"})(exact_draws(40000));
  const double deviation = std::sqrt(variance_of(values));
  return {(found.mean - mean_of(values)) / deviation, found.deviation / deviation};
}

void expect_right(const ParameterSummary& found, const std::string& formula) {
  const Misfit misfit = hone::misfit(found, formula);
  EXPECT_LT(std::abs(misfit.shift), 0.1) << found.name << " = " << formula;
  EXPECT_NEAR(misfit.width, 1, 0.1) << found.name << " = " << formula;
}

TEST(DerivedRun, PosteriorsOfFunctionsAreLearnedDirectly) {
  TemporaryDirectory directory;
  const RunDirectory run =
      execute(directory.path() / "run",
              spec({{"product", "", "p0 * p1"}, {"sum", "", "p0 + p1"}}, default_options("tmnre")));
  const std::vector<ParameterSummary> table = run.summary()->parameters;
  ASSERT_EQ(table.size(), 4u);
  expect_right(table[2], "p0 * p1");
  expect_right(table[3], "p0 + p1");
  EXPECT_GT(std::abs(misfit(table[2], "p0 + p1").shift), 1);  // another function does not fit
  EXPECT_EQ(run.grids().size(), 4u + 6u);

  // Samples of a pair of a parameter and a quantity keep to what they have to do with each other.
  const auto posteriors = run.posteriors();
  const Matrix<double> pair =
      sample_posterior(find_posterior(posteriors, {0, 3}, kObservation), 4000, Rng(1)).theta;
  double covariance = 0;
  for (Index i = 0; i < pair.rows(); ++i) {
    covariance += (pair(i, 0) - kObservation[0]) * (pair(i, 1) - kObservation[0] - kObservation[1]);
  }
  const double correlation = covariance / static_cast<double>(pair.rows()) /
                             std::sqrt(variance_of(column(pair, 0)) * variance_of(column(pair, 1)));
  EXPECT_NEAR(correlation, std::sqrt(0.5), 0.1);

  const Checks checks = check_run(run, {}, nullptr, silent_observer());
  EXPECT_TRUE(
      std::ranges::any_of(checks.sbc, [](const auto& one) { return one.marginal == "product"; }));
  EXPECT_NE(checks.verdict, Status::fail) << checks.summary;
}

TEST(DerivedRun, AreAddedLaterWithoutSimulationsAndToTheSameBits) {
  TemporaryDirectory directory;
  const DerivedQuantity product{"product", "", "p0 * p1"};
  const RunDirectory at_once = execute(directory.path() / "once", spec({product}));
  RunDirectory later = execute(directory.path() / "later", spec({}));
  EXPECT_EQ(later.summary()->parameters.size(), 2u);
  derive_more(later, {product}, silent_observer());
  derive_more(later, {product}, silent_observer());  // is there: nothing happens
  const RunDirectory reopened = RunDirectory::open(later.path());
  EXPECT_TRUE(reopened.complete());
  EXPECT_EQ(reopened.store()->rows(), at_once.store()->rows());
  const auto a = at_once.summary()->parameters, b = reopened.summary()->parameters;
  ASSERT_EQ(b.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(a[i].mean, b[i].mean);
    EXPECT_EQ(a[i].deviation, b[i].deviation);
  }
}

TEST(DerivedRun, DensitiesLearnThemToo) {
  TemporaryDirectory directory;
  const RunDirectory run = execute(directory.path() / "run",
                                   spec({{"product", "", "p0 * p1"}}, default_options("tnpe")));
  expect_right(run.summary()->parameters.at(2), "p0 * p1");
}

TEST(DerivedRun, NetworksThatAreGoneAreTrainedAgain) {
  TemporaryDirectory directory;
  RunDirectory run = execute(directory.path() / "run", spec({{"product", "", "p0 * p1"}}));
  const double before = run.summary()->parameters.at(2).mean;
  std::filesystem::remove(run.path() / "networks/extra-01.h5");
  EXPECT_FALSE(run.complete());
  execute_run(run, {no_executor()});
  EXPECT_TRUE(run.complete());
  EXPECT_EQ(run.summary()->parameters.at(2).mean, before);
}

// As if the process died between the networks and the table of a quantity that was added later.
TEST(DerivedRun, ATableThatWasNotWrittenIsMadeGood) {
  TemporaryDirectory directory;
  RunDirectory run = execute(directory.path() / "run", spec({}));
  EXPECT_TRUE(run.complete());
  run.add_derived({{"product", "", "p0 * p1"}}, {{2}});
  train_derived(run, silent_observer());
  EXPECT_TRUE(run.untrained_derived().empty());
  EXPECT_FALSE(run.complete());
  execute_run(run, {no_executor()});
  EXPECT_TRUE(run.complete());
  EXPECT_EQ(run.summary()->parameters.size(), 3u);
}

TEST(DerivedRun, MethodsOfTheJointPosteriorRefuseThem) {
  const auto text = error_text(
      [] {
        spec({{"q", "", "p0 * p1"}}, default_options("nle")).validate();
      },
      ErrorKind::input);
  EXPECT_TRUE(contains(text, "NLE cannot infer derived quantities")) << text;
}

}  // namespace
}  // namespace hone
