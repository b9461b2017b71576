// Who answers for all parameters together: a density, or a likelihood that the run has.
#include "hone/estimate/joint_choice.h"

#include <cmath>

#include <gtest/gtest.h>

#include "hone/estimate/regression_likelihood.h"
#include "hone/posterior/combined_posterior.h"
#include "inference/support.h"

namespace hone {
namespace {

// theta uniform on (0, 1), x = theta + 0.02 noise: what a density would say that is `wider` than
// the exact posterior. It can be drawn from. Two networks, whose constants differ and depend on x.
constexpr double kNoise = 0.02;
class NormalDensity final : public AmortizedPosterior {
 public:
  explicit NormalDensity(double wider)
      : AmortizedPosterior({test::uniform_prior(1), Region::whole(1)}, {{0}}, 2, {0.4, 0.6}),
        sigma_(wider * kNoise) {}

  std::string estimator() const override { return "normal"; }
  Index data_size() const override { return 1; }
  using AmortizedPosterior::features;
  Matrix<float> features(MatrixView<const float> x) const override {
    Matrix<float> result(x.rows(), 1);
    for (Index i = 0; i < x.rows(); ++i) result(i, 0) = x(i, 0);
    return result;
  }
  Matrix<float> log_densities(Index, const Matrix<float>&, MatrixView<const float>) const override {
    throw std::logic_error("not asked for");
  }
  std::vector<Matrix<float>> log_density_blocks(Index, MatrixView<const float> features,
                                                MatrixView<const float> local) const override {
    std::vector<Matrix<float>> result;
    const Index each = local.rows() / features.rows();
    for (int e = 0; e < 2; ++e) {
      Matrix<float>& out = result.emplace_back(features.rows(), each);
      for (Index i = 0; i < local.rows(); ++i) {
        const double x = double(features(i / each, 0)), z = (double(local(i, 0)) - x) / sigma_;
        out.data()[i] = static_cast<float>(-z * z / 2 + e * (3 + x));
      }
    }
    return result;
  }
  std::optional<Matrix<double>> joint_samples(std::span<const double> x, Index rows,
                                              const Rng& rng) const override {
    Matrix<double> result(rows, 1);
    Rng random = rng;
    for (Index i = 0; i < rows; ++i) {
      double theta = -1;
      while (theta <= 0 || theta >= 1) theta = x[0] + sigma_ * random.normal();
      result(i, 0) = theta;
    }
    return result;
  }
  std::vector<NamedArray> to_arrays() const override { return {}; }

 private:
  double sigma_;
};

HeldOut simulate(Index rows, Rng rng) {
  HeldOut draws{Matrix<float>(rows, 1), Matrix<float>(rows, 1)};
  for (Index i = 0; i < rows; ++i) {
    const double theta = rng.uniform();
    draws.local(i, 0) = static_cast<float>(theta);
    draws.x(i, 0) = static_cast<float>(theta + kNoise * rng.normal());
  }
  return draws;
}

// What the log density of the exact posterior at the truth is above that of a wider one, on
// average: log w - (1 - 1 / w^2) / 2.
double advantage(double wider) {
  return std::log(wider) - 0.5 * (1 - 1 / (wider * wider));
}

TEST(JointChoice, MeasuresHowMuchBetterAPosteriorPredicts) {
  const HeldOut draws = simulate(800, test::test_rng());
  const auto gain = [&](double density, double other) {
    return gain_over(NormalDensity(density), NormalDensity(other), draws, Rng(3));
  };
  for (const double wrong : {2.0, 0.5}) {
    const Gain right = gain(wrong, 1), back = gain(1, wrong);
    EXPECT_NEAR(back.mean, -advantage(wrong), 4 * back.error + 0.01) << wrong;
    EXPECT_LT(back.mean, -4 * back.error) << wrong;
    EXPECT_GT(right.mean, 4 * right.error) << wrong;
  }
  EXPECT_NEAR(gain(2, 1).mean, advantage(2), 4 * gain(2, 1).error + 0.01);
  // The control: what is as good gains nothing, whatever the constants of its networks.
  EXPECT_NEAR(gain(1, 1).mean, 0, 1e-6);
}

// x = (a + b, a - b) + noise: the joint posterior is a normal density that a likelihood has for
// nothing.
constexpr double kSigma = 0.3;
TEST(JointChoice, FindsTheLikelihoodsOfACombination) {
  const auto sums = [](std::span<double> x, std::span<const double> theta, Rng noise) {
    x[0] = theta[0] + theta[1] + kSigma * noise.normal();
    x[1] = theta[0] - theta[1] + kSigma * noise.normal();
  };
  test::Laboratory laboratory(test::uniform_prior(2, -1, 1), 2, sums);
  Simulations simulations = laboratory.simulations();
  simulations.simulate(Region::whole(2), 1, 2000, silent_observer());
  const Dataset data = simulations.inside(Region::whole(2), 0.1);
  const std::vector<Marginal> singles{{0}, {1}};
  const SharedPosterior regression =
      estimate(regression_estimation(),
               {data, singles, 1, test::small_options(1000), Rng(4), silent_observer()})
          .posterior;
  const CombinedPosterior both({regression, regression}, {1, 0, 1, 0}, {2, 2});
  const auto found = joint_likelihoods(both);
  ASSERT_EQ(found.size(), 2);
  ASSERT_EQ(found[0]->marginals(), std::vector<Marginal>{joint(2)});

  // log p(a, b) - log p(0, 0) at x = (0.2, 0.1).
  const std::vector<double> x{0.2, 0.1};
  const Matrix<float> local = [] {
    Matrix<float> points(2, 2);
    points(0, 0) = points(0, 1) = 0.5F;
    points(1, 0) = 0.6F, points(1, 1) = 0.4F;  // a = 0.2, b = -0.2
    return points;
  }();
  const auto exact = [&](double a, double b) {
    const double s = (x[0] - a - b) / kSigma, t = (x[1] - a + b) / kSigma;
    return -(s * s + t * t) / 2;
  };
  const auto check = [&](const AmortizedPosterior& one) {
    const Matrix<float> log = one.log_densities(0, one.features(x), local);
    EXPECT_NEAR(log(0, 1) - log(0, 0), exact(0.2, -0.2) - exact(0, 0), 0.1);
    EXPECT_GT(std::abs(log(0, 1) - log(0, 0) - (exact(0.2, 0.2) - exact(0, 0))), 0.3)
        << "the control";
  };
  check(*found[0]);
  // From a file it is the same.
  check(*find_estimator(found[0]->estimator())
             .load(laboratory.prior(), Region::whole(2), found[0]->to_arrays()));
}

}  // namespace
}  // namespace hone
