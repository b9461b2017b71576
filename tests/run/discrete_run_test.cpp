// A whole number whose exact posterior is known: its probabilities, samples and checks.

#include <cmath>
#include <map>

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

// x0 = n + 0.8 noise, x1 = a + 0.1 noise; n = 1 .. 12, a uniform.
constexpr double kSigma = 0.8, kObserved = 5.3;

void simulate(std::span<double> x, std::span<const double> theta, Rng noise) {
  x[0] = theta[0] + kSigma * noise.normal();
  x[1] = theta[1] + 0.1 * noise.normal();
}

std::map<double, double> exact_probabilities() {
  std::map<double, double> exact;
  double sum = 0;
  for (double n = 1; n <= 12; ++n) {
    const double z = (kObserved - n) / kSigma;
    sum += exact[n] = std::exp(-0.5 * z * z);
  }
  for (auto& [n, probability] : exact) probability /= sum;
  return exact;
}

RunSpec spec(const std::string& method = "tmnre") {
  InferenceOptions options = preset("default");
  options.budget = 6000;
  options.method = method;
  Prior prior({{"n", "", make_distribution({"integer", {{"low", 1}, {"high", 12}}, {}})},
               {"a", "", make_distribution({"uniform", {{"low", 0}, {"high", 1}}, {}})}});
  std::vector<Marginal> marginals = marginals_from_words({}, prior);
  return {.name = "test",
          .simulator = {},
          .seed = 3,
          .prior = std::move(prior),
          .observation = {kObserved, 0.5},
          .marginals = std::move(marginals),
          .options = options};
}

class DiscreteRun : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new TemporaryDirectory;
    run_ = new RunDirectory(RunDirectory::create(directory_->path() / "run", spec()));
    const auto simulator = make_simulator(2, simulate);
    execute_run(*run_, {*make_thread_executor(*simulator)});
  }
  static void TearDownTestSuite() {
    delete run_;
    delete directory_;
  }
  static TemporaryDirectory* directory_;
  static RunDirectory* run_;
};
TemporaryDirectory* DiscreteRun::directory_ = nullptr;
RunDirectory* DiscreteRun::run_ = nullptr;

TEST_F(DiscreteRun, ProbabilitiesAreThoseOfTheExactPosterior) {
  const ParameterSummary found = run_->summary()->parameters.at(0);
  ASSERT_EQ(found.name, "n");
  std::map<double, double> probability;
  for (const ValueProbability& one : found.probabilities) probability[one.value] = one.probability;
  for (const auto& [n, exact] : exact_probabilities()) {
    const double estimated = probability.contains(n) ? probability[n] : 0;
    EXPECT_NEAR(estimated, exact, 0.02) << n;
    if (exact < 1e-5) {
      EXPECT_LT(estimated, 0.002) << n;
    }
  }
  EXPECT_GT(std::abs(probability[5] - probability[6]), 0.1);  // the prior alone would not pass
  EXPECT_EQ(found.median, 5);
}

TEST_F(DiscreteRun, TruncationDropsValues) {
  const Region region = *run_->final_region();
  const TruncatedPrior prior(run_->spec().prior, region);
  const std::vector<double> values = prior.values_inside(0);
  EXPECT_LT(values.size(), 11u);
  EXPECT_NE(std::ranges::find(values, 5), values.end());
  EXPECT_EQ(std::ranges::find(values, 12), values.end());
  EXPECT_NEAR(region.axis_mass(0), static_cast<double>(values.size()) / 12, 1e-12);
}

TEST_F(DiscreteRun, SamplesAreWholeNumbersWithTheseProbabilities) {
  const auto posteriors = run_->posteriors();
  const MarginalPosterior posterior = find_posterior(posteriors, {0}, run_->spec().observation);
  constexpr Index kDraws = 10000;
  const Matrix<double> draws = sample_posterior(posterior, kDraws, Rng(1)).theta;
  std::map<double, double> counts;
  for (Index i = 0; i < kDraws; ++i) counts[draws(i, 0)] += 1.0 / kDraws;
  for (const ValueProbability& one : run_->summary()->parameters.at(0).probabilities) {
    const double error = std::sqrt(one.probability * (1 - one.probability) / kDraws);
    EXPECT_NEAR(counts[one.value], one.probability, 4 * error + 1e-3) << one.value;
    Matrix<double> at(1, 1);
    at(0, 0) = one.value;
    EXPECT_NEAR(std::exp(posterior.log_density(at)[0]), one.probability, 0.005);
  }
  const Matrix<double> pair =
      sample_posterior(find_posterior(posteriors, {0, 1}, run_->spec().observation), 500, Rng(2))
          .theta;
  for (Index i = 0; i < 500; ++i) EXPECT_EQ(pair(i, 0), std::round(pair(i, 0)));
}

TEST_F(DiscreteRun, ChecksFindItCalibrated) {
  const Checks checks = check_run(*run_, {}, nullptr, silent_observer());
  for (const CheckResult& one : checks.checks) {
    if (one.name == "coverage" || one.name == "sbc" || one.name == "edges") {
      EXPECT_NE(one.status, Status::fail) << one.name << ": " << one.reason;
    }
  }
}

TEST(DiscreteSpec, OtherMethodsRefuseWholeNumbers) {
  const auto text = error_text([] { spec("npe").validate(); }, ErrorKind::input);
  EXPECT_TRUE(contains(text, "NPE cannot infer whole numbers")) << text;
}

}  // namespace
}  // namespace hone
