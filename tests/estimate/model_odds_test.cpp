// Odds of two models whose evidence is known: two numbers with a mean of their own each, or with
// one mean for both.

#include "hone/estimate/model_odds.h"

#include <cmath>

#include <gtest/gtest.h>

#include "hone/core/parallel.h"
#include "hone/estimate/joined_rows.h"
#include "inference/support.h"

namespace hone {
namespace {

using test::Laboratory, test::normal_prior;

constexpr double kSigma = 0.5;

void one_mean(std::span<double> x, std::span<const double> theta, Rng noise) {
  for (double& value : x) value = theta[0] + kSigma * noise.normal();
}

// log of N(x; 0, s^2 + 1 on the diagonal, `correlated` beside it), up to a constant.
double log_evidence(double a, double b, double correlated) {
  const double diagonal = kSigma * kSigma + 1;
  const double determinant = diagonal * diagonal - correlated * correlated;
  return -0.5 * (diagonal * (a * a + b * b) - 2 * correlated * a * b) / determinant -
         0.5 * std::log(determinant);
}
double exact_log_odds(std::span<const float> x) {
  const double a = static_cast<double>(x[0]), b = static_cast<double>(x[1]);
  return log_evidence(a, b, 1) - log_evidence(a, b, 0);
}

class TwoModels : public testing::Test {
 protected:
  Dataset simulate(Laboratory& laboratory, Index count) {
    Simulations simulations = laboratory.simulations();
    const Region whole = Region::whole(laboratory.prior().dimensions());
    simulations.simulate(whole, 1, count, silent_observer());
    return simulations.inside(whole, 0.2);
  }
  Laboratory together_{normal_prior(1), 2, one_mean};
  Laboratory apart_{normal_prior(2), 2, test::additive_noise(kSigma)};
};

TEST_F(TwoModels, AreToldApartByClassificationAsTheirEvidenceSays) {
  // Different numbers of simulations must not count as evidence.
  const Dataset a = simulate(together_, 3000), b = simulate(apart_, 1500);
  const std::vector<const Dataset*> models{&a, &b};
  const HeldOutModels held_out = held_out_models(models, 150);
  ASSERT_EQ(held_out.x.rows(), 300);
  const std::vector<double> observation{0.8, 0.6};
  const ModelOdds odds =
      classify_models(models, held_out, observation, test::test_rng(), silent_observer());
  const std::vector<float> x(observation.begin(), observation.end());
  const double exact = exact_log_odds(x);
  EXPECT_NEAR(odds.observed[0] - odds.observed[1], exact, 0.25);
  EXPECT_LT(odds.scatter(0, 1), 0.3);
  // If the counts counted, or the models were exchanged.
  EXPECT_GT(std::abs(odds.observed[0] - odds.observed[1] - exact - std::log(2)), 0.4);
  EXPECT_GT(std::abs(odds.observed[1] - odds.observed[0] - exact), 0.4);
  double square = 0;
  for (Index i = 0; i < 300; ++i) {
    const double error =
        odds.held_out(i, 0) - odds.held_out(i, 1) - exact_log_odds(held_out.x.row(i));
    square += std::min(error * error, 4.0) / 300;
  }
  EXPECT_LT(std::sqrt(square), 0.4);
}

TEST_F(TwoModels, HaveTheSameOddsOnAnyNumberOfThreads) {
  const Dataset a = simulate(together_, 200), b = simulate(apart_, 150);
  const std::vector<const Dataset*> models{&a, &b};
  const HeldOutModels held_out = held_out_models(models, 20);
  const auto odds_with = [&](int threads) {
    std::vector<double> observed;
    with_threads(threads, [&] {
      observed = classify_models(models, held_out, std::vector{0.8, 0.6}, Rng(1), silent_observer())
                     .observed;
    });
    return observed;
  };
  EXPECT_EQ(odds_with(1), odds_with(3));
}

// One way that is right, and one that knows nothing.
TEST(PoolOfOdds, GivesTheShareToWhoPredictsHeldOutModels) {
  Rng rng = Rng(4).child("pool");
  ModelOdds right{"right", Matrix<double>(400, 2), {1, 0}, Matrix<double>(2, 2)};
  ModelOdds noise{"noise", Matrix<double>(400, 2), {-3, 0}, Matrix<double>(2, 2)};
  std::vector<int> model;
  for (Index i = 0; i < 400; ++i) {
    model.push_back(i < 200 ? 0 : 1);
    const double x = 2 * model.back() + rng.normal();
    right.held_out(i, 1) = 2 * (x - 1);
    noise.held_out(i, 1) = 3 * rng.normal();
  }
  right.scatter(0, 1) = right.scatter(1, 0) = 0.1;
  std::vector<ModelOdds> ways;
  ways.push_back(std::move(noise));
  ways.push_back(std::move(right));
  const PooledOdds pool = pool_odds(ways, model);
  EXPECT_GE(pool.shares[1], 0.9);
  EXPECT_GT(pool.scores[1], pool.scores[0]);
  EXPECT_GE(pool.score, pool.scores[1]);
  EXPECT_GT(pool.odds.observed[0] - pool.odds.observed[1], 0.5);
  EXPECT_GE(pool.odds.scatter(0, 1), 0.09);
}

TEST(ModelProbabilities, FollowFromEvidenceAndPrior) {
  const std::vector<double> log = log_probabilities(std::vector{1000.0, 1000.0 + std::log(2.0)},
                                                    std::vector{std::log(0.75), std::log(0.25)});
  EXPECT_NEAR(std::exp(log[0]), 0.6, 1e-12);
  EXPECT_NEAR(std::exp(log[1]), 0.4, 1e-12);
}

TEST(JoinedRows, AreThoseOfTheParts) {
  Matrix<float> a(2, 1), b(3, 1);
  for (Index i = 0; i < 2; ++i) a(i, 0) = float(i);
  for (Index i = 0; i < 3; ++i) b(i, 0) = float(10 + i);
  const MatrixRows first(a), second(b);
  const JoinedRows joined({&first, &second});
  ASSERT_EQ(joined.rows(), 5);
  const std::vector<Index> rows{4, 0, 2};
  Matrix<float> out(3, 1);
  joined.read(out, rows);
  EXPECT_EQ(out(0, 0), 12);
  EXPECT_EQ(out(1, 0), 0);
  EXPECT_EQ(out(2, 0), 10);
}

}  // namespace
}  // namespace hone
