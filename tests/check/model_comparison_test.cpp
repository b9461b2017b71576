// Runs of a straight line and of a parabola on the same points: their evidence is a normal
// integral.

#include "hone/check/model_comparison.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "hone/check/model_evidence.h"
#include "hone/core/cholesky.h"
#include "hone/core/parallel.h"
#include "hone/run/execute_run.h"
#include "inference/support.h"

namespace hone {
namespace {

constexpr Index kPoints = 8;
constexpr double kSigma = 0.4;

double at(Index point) {
  return -1 + 2.0 * static_cast<double>(point) / (kPoints - 1);
}

void curve(std::span<double> y, std::span<const double> theta) {
  for (std::size_t i = 0; i < y.size(); ++i) {
    double power = 1;
    y[i] = 0;
    for (const double coefficient : theta) {
      y[i] += coefficient * power;
      power *= at(static_cast<Index>(i));
    }
  }
}
void noisy_curve(std::span<double> y, std::span<const double> theta, Rng noise) {
  curve(y, theta);
  for (double& value : y) value += kSigma * noise.normal();
}

// log p(y) with coefficients from standard normal distributions.
double exact_log_evidence(std::span<const double> y, int coefficients) {
  Matrix<double> covariance(kPoints, kPoints);
  for (Index i = 0; i < kPoints; ++i) {
    for (Index j = 0; j < kPoints; ++j) {
      covariance(i, j) = i == j ? kSigma * kSigma : 0;
      for (int k = 0; k < coefficients; ++k) covariance(i, j) += std::pow(at(i) * at(j), k);
    }
  }
  const Matrix<double> root = cholesky(covariance);
  std::vector<double> z(y.begin(), y.end());
  solve_lower(z, root, z);
  const double square = std::inner_product(z.begin(), z.end(), z.begin(), 0.0);
  return -0.5 * square - log_determinant(root) - 0.5 * kPoints * std::log(2 * std::numbers::pi);
}

// A parabola with some fixed scatter around it.
std::vector<double> observation_with(double bend) {
  Rng rng = Rng(9).child("observation");
  std::vector<double> y(kPoints);
  noisy_curve(y, std::vector{0.3, -0.4, bend}, rng);
  return y;
}

class ModelComparisonOfRuns : public testing::Test {
 protected:
  RunSpec spec(const std::string& name, int coefficients, std::vector<double> observation,
               Index budget) {
    return {.name = name,
            .simulator = {},
            .seed = 5,
            .prior = test::normal_prior(coefficients),
            .observation = std::move(observation),
            .marginals = one_dimensional(coefficients),
            .options = test::small_options(budget)};
  }
  RunDirectory make_run(RunSpec spec, const RowFunction& simulate = noisy_curve) {
    const auto simulator = make_simulator(kPoints, simulate);
    const auto executor = make_thread_executor(*simulator);
    const std::string name = spec.name;
    RunDirectory run = RunDirectory::create(directory_.path() / name, std::move(spec));
    execute_run(run, {*executor});
    return run;
  }
  RunDirectory make_run(const std::string& name, int coefficients, double bend,
                        Index budget = 2500) {
    return make_run(spec(name, coefficients, observation_with(bend), budget));
  }
  static ModelComparison compare(const RunDirectory& a, const RunDirectory& b,
                                 const ModelComparisonOptions& options = {}) {
    return compare_models(std::vector<ModelRun>{{a}, {b}}, options, silent_observer());
  }
  static std::string refusal(const RunDirectory& a, const RunDirectory& b) {
    return error_text([&] { compare(a, b); }, ErrorKind::input);
  }
  TemporaryDirectory directory_;
};

std::string said(const ModelComparison& found) {
  std::string text = fmt::format(", error {:.2f}", found.errors(1, 0));
  for (const ModelWay& way : found.ways) {
    text += fmt::format("; {}: share {:.2f}, score {:.3f}, {:.2f}", way.name, way.share, way.score,
                        fmt::join(way.log_bayes_factor, ", "));
  }
  return text;
}

TEST_F(ModelComparisonOfRuns, FindsTheKnownBayesFactor) {
  for (const double bend : {0.0, 1.8}) {
    const std::string level = bend == 0 ? "none" : "some";
    const RunDirectory line = make_run("line-" + level, 2, bend);
    const RunDirectory parabola = make_run("parabola-" + level, 3, bend);
    const std::vector<double> y = observation_with(bend);
    const double exact = exact_log_evidence(y, 3) - exact_log_evidence(y, 2);
    const ModelComparison found = compare(line, parabola);
    const double log_factor = found.log_bayes_factors(1, 0);
    EXPECT_LT(found.errors(1, 0), 0.5) << level << said(found);
    EXPECT_NEAR(log_factor, exact, std::max(0.35, 2.5 * found.errors(1, 0)))
        << level << said(found);
    // Both models are what a regression takes them for.
    ASSERT_EQ(found.ways.back().name, "regression");
    const std::vector<double>& own = found.ways.back().log_bayes_factor;
    EXPECT_NEAR(own[1] - own[0], exact, 0.2) << level << said(found);
    EXPECT_EQ(found.best, exact > 0 ? 1U : 0U);
    EXPECT_NEAR(found.models[1].probability, 1 / (1 + std::exp(-log_factor)), 1e-9);
    EXPECT_GT(std::abs(-log_factor - exact), 0.5) << level;  // the models exchanged: must fail
    EXPECT_NE(found.calibration.status, Status::fail) << found.calibration.reason;
  }
}

TEST_F(ModelComparisonOfRuns, PriorProbabilitiesAreMultiplied) {
  const RunDirectory line = make_run("line", 2, 0.4, 1000);
  const RunDirectory parabola = make_run("parabola", 3, 0.4, 1000);
  const ModelComparison equal = compare(line, parabola);
  const ModelComparison weighted = compare(line, parabola, {.prior = {3, 1}});
  EXPECT_EQ(weighted.log_bayes_factors(1, 0), equal.log_bayes_factors(1, 0));
  EXPECT_EQ(weighted.models[0].prior, 0.75);
  const auto log_odds = [](const ModelComparison& found) {
    return std::log(found.models[0].probability / found.models[1].probability);
  };
  EXPECT_NEAR(log_odds(weighted) - log_odds(equal), std::log(3), 1e-6);
  const auto refused = [&](std::vector<double> prior) {
    return error_text([&] { compare(line, parabola, {.prior = std::move(prior)}); },
                      ErrorKind::input);
  };
  EXPECT_TRUE(contains(refused({1, 2, 3}), "it has 3 numbers, and there are 2 models"));
  EXPECT_TRUE(contains(refused({1, 0}), "must be greater than 0"));
}

// The same model twice, one of which fails for a reason that has nothing to do with its parameters.
TEST_F(ModelComparisonOfRuns, FailedSimulationsAreNoData) {
  const auto sometimes = [](std::span<double> y, std::span<const double> theta, Rng noise) {
    noisy_curve(y, theta, noise.child("noise"));
    if (noise.uniform() < 0.4) y[0] = NAN;
  };
  const std::vector<double> y = observation_with(0.4);
  const RunDirectory whole = make_run(spec("whole", 2, y, 1500));
  const RunDirectory failing = make_run(spec("failing", 2, y, 2500), sometimes);
  const ModelComparison found = compare(whole, failing);
  EXPECT_NEAR(found.models[1].region.valid, 0.6, 0.05);
  EXPECT_NEAR(found.log_bayes_factors(1, 0), std::log(0.6), 0.25);
  EXPECT_GT(std::abs(found.log_bayes_factors(1, 0)), 0.26);  // if they did not count
}

TEST_F(ModelComparisonOfRuns, DeclaredNoiseGivesTheEvidenceOfOneModel) {
  const auto noiseless = [](std::span<double> y, std::span<const double> theta, Rng) {
    curve(y, theta);
  };
  const std::vector<double> y = observation_with(0.4);
  RunSpec declared = spec("declared", 2, y, 2500);
  declared.noise.kind = NoiseKind::gaussian;
  declared.noise.sigma = {kSigma};
  const RunDirectory run = make_run(declared, noiseless);
  const ModelEvidence found = evidence_of_model({run});
  EXPECT_NEAR(found.log_evidence, exact_log_evidence(y, 2), 4 * found.error + 0.02);
  EXPECT_LT(found.error, 0.15);
  EXPECT_GT(std::abs(found.log_evidence - exact_log_evidence(y, 3)), 4 * found.error + 0.02);

  // Two of them need no networks: odds far from even ones are as exact.
  RunSpec bent = spec("bent", 3, y, 2500);
  bent.noise = declared.noise;
  const ModelComparison both = compare(run, make_run(bent, noiseless));
  ASSERT_EQ(both.ways.size(), 1U);
  EXPECT_TRUE(both.known);
  EXPECT_NEAR(both.log_bayes_factors(1, 0), exact_log_evidence(y, 3) - exact_log_evidence(y, 2),
              4 * both.errors(1, 0) + 0.02);

  const RunDirectory other = make_run("other", 2, 0.4, 1000);
  EXPECT_TRUE(contains(error_text([&] { evidence_of_model({other}); }, ErrorKind::input),
                       "the noise here is 'none'"));
}

TEST_F(ModelComparisonOfRuns, WhatCannotBeComparedIsRefused) {
  const RunDirectory line = make_run("line", 2, 0.4, 1000);
  EXPECT_TRUE(contains(refusal(line, line), "is given twice"));
  EXPECT_TRUE(contains(refusal(line, make_run("bent", 3, 0.5, 1000)), "have other observations"));
  EXPECT_TRUE(contains(refusal(line, make_run("few", 3, 0.4, 300)), "at least 400 are needed"));

  const std::vector<double> y = observation_with(0.4);
  RunSpec described = spec("described", 3, y, 1000);
  described.data = DataDescription({{"curve", DataKind::series, {kPoints}}});
  EXPECT_TRUE(contains(refusal(line, make_run(described)), "describe their data differently"));

  RunSpec proposed = spec("proposed", 3, y, 1000);
  proposed.options.method = "rej_abc";
  EXPECT_TRUE(contains(refusal(line, make_run(proposed)), "REJ-ABC does not simulate from"));

  const RunDirectory unfinished =
      RunDirectory::create(directory_.path() / "unfinished", spec("unfinished", 3, y, 1000));
  EXPECT_TRUE(contains(refusal(line, unfinished), "hone resume"));
  EXPECT_TRUE(contains(
      error_text([&] { compare_models(std::vector<ModelRun>{{line}}, {}, silent_observer()); },
                 ErrorKind::input),
      "at least two models"));
}

TEST_F(ModelComparisonOfRuns, SameBitsOnAnyNumberOfThreads) {
  const RunDirectory line = make_run("line", 2, 0.4, 1000);
  const RunDirectory parabola = make_run("parabola", 3, 0.4, 1000);
  std::string text[2];
  for (const int threads : {1, 3}) {
    with_threads(threads, [&] { text[threads / 2] = to_json(compare(line, parabola)).dump(); });
  }
  EXPECT_EQ(text[0], text[1]);
}

}  // namespace
}  // namespace hone
