// Simulations from the joint posterior of a run, beside its observation.

#include "hone/check/predict_run.h"

#include <cmath>

#include <gtest/gtest.h>

#include "hone/check/joint_check.h"
#include "hone/problem/problem.h"
#include "hone/run/execute_run.h"
#include "hone/run/joint_run.h"
#include "inference/support.h"

namespace hone {
namespace {

using test::column, test::mean_of, test::variance_of;

// x = (a + b, a - b) + noise: the posterior has no independent parameters but a known joint one.
constexpr double kSigma = 0.1;
void simulate(std::span<double> x, std::span<const double> theta, Rng noise) {
  x[0] = theta[0] + theta[1] + kSigma * noise.normal();
  x[1] = 0.3 * (theta[0] - theta[1]) + kSigma * noise.normal();
}

// The product of the 1-d posteriors, in the place of the joint one.
class Independent final : public AmortizedPosterior {
 public:
  Independent(SharedPosterior singles, const AmortizedPosterior& joint)
      : AmortizedPosterior(joint.prior(), joint.marginals(), 1, {1.0}),
        singles_(std::move(singles)) {}
  std::string estimator() const override { return "independent"; }
  Index data_size() const override { return singles_->data_size(); }
  using AmortizedPosterior::features;
  Matrix<float> features(MatrixView<const float> x) const override { return singles_->features(x); }
  Matrix<float> log_densities(Index, const Matrix<float>&, MatrixView<const float>) const override {
    throw std::logic_error("not asked for");
  }
  std::vector<Matrix<float>> log_density_blocks(Index, MatrixView<const float> features,
                                                MatrixView<const float> local) const override {
    std::vector<Matrix<float>> sum;
    sum.emplace_back(features.rows(), local.rows() / features.rows());
    for (int d = 0; d < 2; ++d) {
      Matrix<float> own(local.rows(), 1);
      for (Index i = 0; i < local.rows(); ++i) own(i, 0) = local(i, d);
      const Index marginal = singles_->find({d});
      const auto weights = singles_->weights(marginal);  // some networks may have no say
      const auto first = std::ranges::max_element(weights) - weights.begin();
      const auto one = singles_->log_density_blocks(marginal, features, own);
      for (Index i = 0; i < local.rows(); ++i) {
        sum[0].data()[i] += one[std::size_t(first)].data()[i];
      }
    }
    return sum;
  }
  std::vector<NamedArray> to_arrays() const override { return {}; }

 private:
  SharedPosterior singles_;
};

// A joint posterior that is calibrated, but whose draws are those for other data.
class DrawsElsewhere final : public AmortizedPosterior {
 public:
  explicit DrawsElsewhere(SharedPosterior joint)
      : AmortizedPosterior(joint->prior(), joint->marginals(), joint->ensemble(),
                           {joint->weights(0).begin(), joint->weights(0).end()}),
        joint_(std::move(joint)) {}
  std::string estimator() const override { return joint_->estimator(); }
  Index data_size() const override { return joint_->data_size(); }
  using AmortizedPosterior::features;
  Matrix<float> features(MatrixView<const float> x) const override { return joint_->features(x); }
  Matrix<float> log_densities(Index marginal, const Matrix<float>& features,
                              MatrixView<const float> local) const override {
    return joint_->log_densities(marginal, features, local);
  }
  std::vector<Matrix<float>> log_density_blocks(Index marginal, MatrixView<const float> features,
                                                MatrixView<const float> local) const override {
    return joint_->log_density_blocks(marginal, features, local);
  }
  std::optional<Matrix<double>> joint_samples(std::span<const double> x, Index rows,
                                              const Rng& rng) const override {
    return joint_->joint_samples(std::vector{x[0] + 4 * kSigma, x[1]}, rows, rng);
  }
  std::vector<NamedArray> to_arrays() const override { return {}; }

 private:
  SharedPosterior joint_;
};

class PredictRun : public testing::Test {
 protected:
  RunDirectory make_run(std::vector<double> observation, Index budget = 6000) {
    const InferenceOptions options = test::small_options(budget);
    const Prior prior = test::uniform_prior(2, -1, 1).with_derived({{"sum", "", "p0 + p1"}});
    RunDirectory run =
        RunDirectory::create(directory_.path() / "run", {.name = "test",
                                                         .simulator = {},
                                                         .seed = 5,
                                                         .prior = prior,
                                                         .observation = std::move(observation),
                                                         .marginals = one_dimensional(2),
                                                         .options = options});
    execute_run(run, {*executor_});
    return run;
  }
  TemporaryDirectory directory_;
  std::unique_ptr<Simulator> simulator_ = make_simulator(2, simulate);
  std::unique_ptr<Executor> executor_ = make_thread_executor(*simulator_);
};

TEST_F(PredictRun, DrawsComeFromTheJointPosterior) {
  const RunDirectory run = make_run({0.2, 0.05});
  const SharedPosterior joint = joint_posterior(run, silent_observer());
  const Matrix<double> draws = joint_draws(run, *joint, run.spec().observation, 4000, Rng(1));
  const std::vector<double> sum = column(draws, 2);
  std::vector<double> difference;
  for (Index i = 0; i < 4000; ++i) {
    EXPECT_EQ(sum[std::size_t(i)], draws(i, 0) + draws(i, 1));
    difference.push_back(draws(i, 0) - draws(i, 1));
  }
  EXPECT_NEAR(mean_of(sum), 0.2, 0.02);
  EXPECT_NEAR(std::sqrt(variance_of(sum)), 0.1, 0.015);
  EXPECT_NEAR(mean_of(difference), 0.05 / 0.3, 0.07);
  EXPECT_NEAR(std::sqrt(variance_of(difference)), 0.1 / 0.3, 0.05);
  // The product of the marginals is much wider.
  EXPECT_GT(std::sqrt(variance_of(column(draws, 0)) + variance_of(column(draws, 1))), 0.2);
  ASSERT_TRUE(run.joint_posterior().has_value());
  const SharedPosterior kept = joint_posterior(run, silent_observer());
  EXPECT_EQ(column(joint_draws(run, *kept, run.spec().observation, 4000, Rng(1)), 0),
            column(draws, 0));
  const CheckResult check = check_joint(run, *kept, silent_observer());
  EXPECT_EQ(check.status, Status::pass) << check.reason;
}

// x = a b + noise: the posterior is two hyperbolas, which a density has to learn; the mean of the
// data is a polynomial, which a regression knows at once.
TEST_F(PredictRun, ALikelihoodOfTheRunAnswersWhereItPredictsBetter) {
  simulator_ = make_simulator(1, [](std::span<double> x, std::span<const double> theta, Rng noise) {
    x[0] = theta[0] * theta[1] + kSigma * noise.normal();
  });
  executor_ = make_thread_executor(*simulator_);
  const RunDirectory run = make_run({0.3}, 1500);
  const SharedPosterior joint = joint_posterior(run, silent_observer());
  EXPECT_EQ(describe_joint(joint->estimator()),
            "the run's likelihood by regression times the prior");
  const auto products = [&](const AmortizedPosterior& posterior) {
    const Matrix<double> draws = joint_draws(run, posterior, run.spec().observation, 4000, Rng(1));
    std::vector<double> result;
    for (Index i = 0; i < draws.rows(); ++i) result.push_back(draws(i, 0) * draws(i, 1));
    return result;
  };
  // Of two uniform numbers p = a b has the density -log|p| / 2.
  double mass = 0, first = 0, second = 0;
  for (double p = -0.9995; p < 1; p += 0.001) {
    const double weight = -std::log(std::abs(p)) * std::exp(-0.5 * std::pow((p - 0.3) / kSigma, 2));
    mass += weight, first += weight * p, second += weight * p * p;
  }
  const double mean = first / mass, width = std::sqrt(second / mass - mean * mean);
  EXPECT_NEAR(mean_of(products(*joint)), mean, 0.15 * width);
  EXPECT_NEAR(std::sqrt(variance_of(products(*joint))), width, 0.1 * width);
  // What is kept in the run gives the same draws.
  const SharedPosterior again = joint_posterior(RunDirectory::open(run.path()), silent_observer());
  EXPECT_EQ(products(*again), products(*joint));
}

TEST_F(PredictRun, TheCheckSaysHowFarProjectionsAreFromTheMarginals) {
  const RunDirectory run = make_run({0.2, 0.05});
  const SharedPosterior joint = joint_posterior(run, silent_observer());
  const CheckResult check = check_joint(run, *joint, silent_observer());
  ASSERT_EQ(check.numbers.back().first, "difference");
  EXPECT_LT(check.numbers.back().second, 0.1) << check.reason;
  EXPECT_TRUE(contains(check.reason, "differ by")) << check.reason;

  const DrawsElsewhere elsewhere(joint);
  const CheckResult control = check_joint(run, elsewhere, silent_observer());
  EXPECT_GT(control.numbers.back().second, 0.3) << control.reason;
  EXPECT_EQ(control.status, Status::caution) << control.reason;
}

TEST_F(PredictRun, FewTestDrawsLeaveTheJointPosteriorUnclear) {
  const RunDirectory run = make_run({0.2, 0.05}, 300);
  const CheckResult check =
      check_joint(run, *joint_posterior(run, silent_observer()), silent_observer());
  EXPECT_EQ(check.status, Status::unclear) << check.reason;
}

TEST_F(PredictRun, AJointPosteriorWithoutTheCorrelationIsFlagged) {
  const RunDirectory run = make_run({0.2, 0.05});
  const SharedPosterior right = joint_posterior(run, silent_observer());
  const CheckResult check =
      check_joint(run, Independent(run.final_posterior().posterior, *right), silent_observer());
  EXPECT_NE(check.status, Status::pass) << check.reason;
}

TEST_F(PredictRun, ARightModelPassesAndItsSimulationsAreKeptApart) {
  const RunDirectory run = make_run({0.2, 0.05});
  EXPECT_FALSE(read_predictive(run).has_value());
  const Predictive found = predict_run(run, {.simulations = 300}, *executor_, silent_observer());
  EXPECT_EQ(found.simulations, 300);
  EXPECT_EQ(found.status, Status::pass) << found.reason;
  // Noise of the data and of the parameters: sqrt(2) times 0.1.
  EXPECT_NEAR(found.high95[0] - found.low95[0], 2 * 1.96 * std::sqrt(2) * kSigma, 0.12);
  EXPECT_EQ(run.store()->rows(), 6000);
  EXPECT_EQ(read_predictive(run)->simulations, 300);
  const Predictive region =
      predict_run(run, {.simulations = 100, .from = "region"}, *executor_, silent_observer());
  EXPECT_GT(region.high95[0] - region.low95[0], found.high95[0] - found.low95[0]);
  // They are there: no executor is needed to see them again.
  EXPECT_EQ(predict_run(run, {.simulations = 300}, no_executor(), silent_observer()).p, found.p);
}

TEST_F(PredictRun, WhatWasFoundOfTheJointPosteriorIsKeptAndSaid) {
  const RunDirectory run = make_run({0.2, 0.05});
  EXPECT_FALSE(read_joint_check(run).has_value());
  const PredictOptions few{.simulations = 50};
  const Predictive found = predict_run(run, few, *executor_, silent_observer());
  ASSERT_TRUE(found.joint_check.has_value());
  EXPECT_EQ(found.joint_check->status, Status::pass) << found.joint_check->reason;
  EXPECT_EQ(read_joint_check(run)->reason, found.joint_check->reason);
  EXPECT_EQ(read_predictive(run)->joint_check->reason, found.joint_check->reason);
  // Of draws that belong to other data it says so, and so does the prediction.
  const DrawsElsewhere elsewhere(joint_posterior(run, silent_observer()));
  write_joint_check(run, check_joint(run, elsewhere, silent_observer()));
  const Predictive warned = predict_run(run, few, *executor_, silent_observer());
  EXPECT_EQ(warned.joint_check->status, Status::caution);
  EXPECT_TRUE(contains(warned.joint_check->reason, "differ by")) << warned.joint_check->reason;
  EXPECT_EQ(read_predictive(run)->joint_check->status, Status::caution);
  PredictOptions of_region = few;
  of_region.from = "region";
  EXPECT_FALSE(predict_run(run, of_region, *executor_, silent_observer()).joint_check.has_value());
}

TEST_F(PredictRun, AJointPosteriorThatFailsIsRefusedUnlessWanted) {
  const RunDirectory run = make_run({0.2, 0.05});
  const CheckResult failed{.name = "joint", .status = Status::fail, .reason = "2.5 sigma off"};
  joint_posterior(run, silent_observer());
  write_joint_check(run, failed);
  PredictOptions few{.simulations = 50};
  const std::string refusal = error_text(
      [&] { predict_run(run, few, *executor_, silent_observer()); }, ErrorKind::numerical);
  EXPECT_TRUE(contains(refusal, "fails its check: 2.5 sigma off")) << refusal;
  EXPECT_TRUE(contains(refusal, "or add --anyway")) << refusal;
  EXPECT_FALSE(read_predictive(run).has_value());
  few.anyway = true;
  EXPECT_EQ(predict_run(run, few, *executor_, silent_observer()).joint_check->status, Status::fail);
  // The region has no part in it.
  few = {.simulations = 50, .from = "region"};
  EXPECT_EQ(predict_run(run, few, *executor_, silent_observer()).simulations, 50);
}

TEST_F(PredictRun, ACheckOfAnotherJointPosteriorIsNotBelieved) {
  RunDirectory run = make_run({0.2, 0.05}, 1500);
  joint_posterior(run, silent_observer());
  write_joint_check(run, {.name = "joint", .status = Status::fail, .reason = "of the old one"});
  EXPECT_TRUE(read_joint_check(run).has_value());
  run.add_posterior(*run.joint_posterior());
  EXPECT_FALSE(read_joint_check(run).has_value());
  EXPECT_NE(checked_joint(run, silent_observer()).check.reason, "of the old one");
}

TEST_F(PredictRun, AWrongModelIsFlagged) {
  const RunDirectory run = make_run({0.2, 3.0});  // 0.3 (a - b) is at most 0.6
  const Predictive found = predict_run(run, {.simulations = 200}, *executor_, silent_observer());
  EXPECT_EQ(found.status, Status::caution) << found.reason;
  EXPECT_TRUE(contains(found.reason, "unlike simulations from the posterior"));
}

TEST_F(PredictRun, OptionsAreChecked) {
  const auto refusal = [](const PredictOptions& options) {
    return error_text([&] { options.validate(); }, ErrorKind::input);
  };
  EXPECT_TRUE(contains(refusal({.from = "priors"}), "did you mean 'prior'?"));
  EXPECT_TRUE(contains(refusal({.simulations = 3}), "must lie in 20"));
}

}  // namespace
}  // namespace hone
