// Estimators count by how well they predict simulations that none of them was trained on.
#include "hone/estimate/evidence.h"

#include <cmath>

#include <gtest/gtest.h>

#include "hone/estimate/combined_estimation.h"
#include "hone/posterior/combined_posterior.h"
#include "hone/posterior/marginal_grid.h"
#include "inference/support.h"

namespace hone {
namespace {

constexpr double kNoise = 0.1;

// theta uniform on (0, 1), x = theta + 0.1 noise: what a network would say that is off by `shift`
// and `wider` than the exact posterior.
class NormalPosterior final : public AmortizedPosterior {
 public:
  NormalPosterior(double shift, double wider)
      : AmortizedPosterior({test::uniform_prior(1), Region::whole(1)}, {{0}}, 1, {1.0}),
        shift_(shift),
        sigma_(wider * kNoise) {}

  std::string estimator() const override { return "normal"; }
  Index data_size() const override { return 1; }
  Matrix<float> features(MatrixView<const float> x) const override {
    Matrix<float> result(x.rows(), 1);
    for (Index i = 0; i < x.rows(); ++i) result(i, 0) = x(i, 0);
    return result;
  }
  Matrix<float> log_densities(Index, const Matrix<float>& features,
                              MatrixView<const float> local) const override {
    return std::move(log_density_blocks(0, features, local)[0]);
  }
  std::vector<Matrix<float>> log_density_blocks(Index, MatrixView<const float> features,
                                                MatrixView<const float> local) const override {
    std::vector<Matrix<float>> result;
    const Index each = local.rows() / features.rows();
    Matrix<float>& out = result.emplace_back(features.rows(), each);
    for (Index i = 0; i < local.rows(); ++i) {
      const double z = double(local(i, 0) - features(i / each, 0)) - shift_;
      out.data()[i] = static_cast<float>(-z * z / (2 * sigma_ * sigma_));
    }
    return result;
  }
  std::vector<NamedArray> to_arrays() const override { return {}; }

 private:
  double shift_, sigma_;
};

SharedPosterior normal(double shift, double wider) {
  return std::make_shared<const NormalPosterior>(shift, wider);
}

HeldOut simulate(Index rows, Rng rng) {
  HeldOut draws{Matrix<float>(rows, 1), Matrix<float>(rows, 1)};
  for (Index i = 0; i < rows; ++i) {
    const double theta = rng.uniform();
    draws.local(i, 0) = static_cast<float>(theta);
    draws.x(i, 0) = static_cast<float>(theta + kNoise * rng.normal());
  }
  return draws;
}

TEST(LogScores, AreTheLogDensityOfTheTruth) {
  const HeldOut draws = simulate(500, test::test_rng());
  const std::vector<double> scores = log_scores(*normal(0, 1), 0, draws);
  for (Index i = 0; i < 500; ++i) {
    const double x = double(draws.x(i, 0)), z = (double(draws.local(i, 0)) - x) / kNoise;
    const double inside = test::normal_cdf((1 - x) / kNoise) - test::normal_cdf(-x / kNoise);
    const double exact = -z * z / 2 - std::log(kNoise * std::sqrt(2 * std::numbers::pi) * inside);
    // Where the prior cuts the posterior, a lattice of 160 points is wrong by half of one.
    if (x < 0.1 || x > 0.9) continue;
    EXPECT_NEAR(scores[std::size_t(i)], exact, 0.02) << i;
  }
}

TEST(LogScores, AreBestForTheExactPosterior) {
  const HeldOut draws = simulate(2000, test::test_rng());
  const auto exact = log_scores(*normal(0, 1), 0, draws);
  for (const auto& wrong : {normal(0.05, 1), normal(0, 1.3), normal(0, 0.7)}) {
    const auto scores = log_scores(*wrong, 0, draws);
    std::vector<double> gain;
    for (std::size_t i = 0; i < scores.size(); ++i) gain.push_back(exact[i] - scores[i]);
    EXPECT_GT(test::mean_of(gain), 4 * std::sqrt(test::variance_of(gain) / 2000));
  }
}

TEST(MixtureShares, FindThoseThatDataWereDrawnWith) {
  constexpr Index n = 4000;
  constexpr double share = 0.3, apart = 3;
  Rng rng = test::test_rng();
  Matrix<double> scores(n, 2);
  for (Index i = 0; i < n; ++i) {
    const double y = rng.normal() + (rng.uniform() < share ? 0 : apart);
    scores(i, 0) = -y * y / 2;
    scores(i, 1) = -(y - apart) * (y - apart) / 2;
  }
  const std::vector<double> equal{0.5, 0.5};
  const auto found = mixture_shares(scores, equal, 0);
  const double error = std::sqrt(share * (1 - share) / n);
  EXPECT_NEAR(found[0], share, 5 * error);  // the two overlap a little
  EXPECT_NEAR(found[0] + found[1], 1, 1e-12);
  // What was expected before counts like so many rows more.
  const auto held = mixture_shares(scores, equal, 1e7);
  EXPECT_NEAR(held[0], 0.5, 1e-3);
}

TEST(EvidenceShares, BelongToTheEstimatorThatPredictsBest) {
  const HeldOut draws = simulate(1000, test::test_rng());
  for (const auto& wrong : {normal(0.1, 1), normal(0, 2), normal(0, 0.5)}) {
    const auto shares = evidence_shares({wrong, normal(0, 1)}, draws);
    EXPECT_GT(shares[1], 0.75);
    EXPECT_NEAR(shares[0] + shares[1], 1, 1e-12);
  }
  // Of equals one is enough.
  const auto equals = evidence_shares({normal(0, 1), normal(0, 1)}, draws);
  EXPECT_EQ(equals, (std::vector<double>{1, 0}));
  // The control: two that complete each other both stay.
  const auto both = evidence_shares({normal(0.07, 1), normal(-0.07, 1)}, draws);
  EXPECT_NEAR(both[0], 0.5, 0.1);
}

// Answers as another posterior, and counts the data vectors that it is asked about.
class CountingPosterior final : public AmortizedPosterior {
 public:
  CountingPosterior(SharedPosterior answers, Index& asked)
      : AmortizedPosterior(answers->prior(), answers->marginals(), 1, {1.0}),
        answers_(std::move(answers)),
        asked_(asked) {}

  std::string estimator() const override { return "counting"; }
  Index data_size() const override { return 1; }
  Matrix<float> features(MatrixView<const float> x) const override { return answers_->features(x); }
  Matrix<float> log_densities(Index marginal, const Matrix<float>& features,
                              MatrixView<const float> local) const override {
    return answers_->log_densities(marginal, features, local);
  }
  std::vector<Matrix<float>> log_density_blocks(Index marginal, MatrixView<const float> features,
                                                MatrixView<const float> local) const override {
    asked_ += features.rows();
    return answers_->log_density_blocks(marginal, features, local);
  }
  std::vector<NamedArray> to_arrays() const override { return {}; }

 private:
  SharedPosterior answers_;
  Index& asked_;
};

TEST(EvidenceShares, AskAnEstimatorThatIsFarBehindAboutAFewSimulationsOnly) {
  const HeldOut draws = simulate(256, test::test_rng());
  const auto asked_with = [&](const SharedPosterior& other, const SharedPosterior& rival) {
    Index asked = 0;
    const auto counting = std::make_shared<const CountingPosterior>(other, asked);
    const auto shares = evidence_shares({counting, rival}, draws);
    return std::pair(asked, shares[0]);
  };
  EXPECT_EQ(asked_with(normal(0, 3), normal(0, 1)), std::pair(Index{32}, 0.0));
  // Who has won is asked no more either; what might still count is.
  EXPECT_EQ(asked_with(normal(0, 1), normal(0, 3)), std::pair(Index{32}, 1.0));
  const auto [asked, share] = asked_with(normal(0.07, 1), normal(-0.07, 1));
  EXPECT_EQ(asked, 256);
  EXPECT_NEAR(share, 0.5, 0.2);
}

// Of 30 marginals one alone is learned better by the second estimator: what all say together must
// not take its voice away.
TEST(EvidenceShares, LeaveAMarginalItsOwnWhateverTheOthersSay) {
  const HeldOut draws = simulate(1000, test::test_rng());
  const auto good = log_scores(*normal(0, 1), 0, draws), poor = log_scores(*normal(0, 3), 0, draws);
  constexpr Index kOthers = 29;
  Matrix<double> own(1000, 2), together(1000 * (kOthers + 1), 2);
  for (Index i = 0; i < 1000; ++i) {
    own(i, 0) = poor[std::size_t(i)];
    own(i, 1) = good[std::size_t(i)];
    for (Index other = 0; other < kOthers; ++other) {
      together(other * 1000 + i, 0) = good[std::size_t(i)];
      together(other * 1000 + i, 1) = poor[std::size_t(i)];
    }
    together(kOthers * 1000 + i, 0) = own(i, 0);
    together(kOthers * 1000 + i, 1) = own(i, 1);
  }
  const std::vector<double> equal{0.5, 0.5};
  const auto expected = mixture_shares(together, equal, 1);
  EXPECT_LT(expected[1], 0.1);
  auto shares = mixture_shares(own, expected, 50);
  drop_small_shares(shares);
  EXPECT_GT(shares[1], 0.8);
}

TEST(CombinedPosterior, IsTheMixtureOfItsPartsByTheirShares) {
  const CombinedPosterior both({normal(-0.1, 1), normal(0.1, 1)}, {0.25, 0.75}, {0, 1});
  const std::vector<double> x{0.5};
  const MarginalGrid grid = make_grid({both, {0}, x}, 512);
  EXPECT_NEAR(grid_mean(grid), 0.25 * 0.4 + 0.75 * 0.6, 1e-3);
  const double variance = kNoise * kNoise + 0.25 * 0.75 * 0.2 * 0.2;
  EXPECT_NEAR(grid_deviation(grid), std::sqrt(variance), 1e-3);
  EXPECT_EQ(both.describe_shares(), "single parameters: normal 0.25, normal 0.75");
}

TEST(CombinedPosterior, DoesNotAskAPartWithoutAShare) {
  const CombinedPosterior one({normal(0.3, 1), normal(0, 1)}, {0, 1}, {0, 1});
  const std::vector<double> x{0.5};
  const MarginalGrid grid = make_grid({one, {0}, x}, 512);
  EXPECT_EQ(grid.mass, make_grid({*normal(0, 1), {0}, x}, 512).mass);
}

// The option: what the paper trains, and nothing else.
TEST(CombinedEstimation, IsTheRatioNetworksAloneIfAsked) {
  InferenceOptions options = test::small_options(400);
  options.training.max_epochs = 3;
  options.density.steps = 20;
  const auto arrays = [&](Estimators estimators, std::string& name) {
    options.estimators = estimators;
    test::Laboratory laboratory(test::uniform_prior(2, -1, 1), 2, test::additive_noise(0.1));
    Simulations simulations = laboratory.simulations(5);
    const InferenceResult result =
        test::infer(simulations, std::vector{0.2, -0.1}, {{0}, {1}}, options, Rng(5));
    name = result.posterior.posterior->estimator();
    return result.posterior.posterior->to_arrays();
  };
  std::string ratio, combined;
  const auto alone = arrays(Estimators::ratio, ratio), all = arrays(Estimators::evidence, combined);
  EXPECT_EQ(ratio, "ratio");
  EXPECT_EQ(combined, "combined");
  // The ratio networks are the same in both.
  for (const NamedArray& array : alone) {
    EXPECT_EQ(find_array(all, "part0_" + array.name).values, array.values) << array.name;
  }
}

}  // namespace
}  // namespace hone
