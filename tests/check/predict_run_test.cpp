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
      const auto one = singles_->log_density_blocks(singles_->find({d}), features, own);
      for (Index i = 0; i < local.rows(); ++i) sum[0].data()[i] += one[0].data()[i];
    }
    return sum;
  }
  std::vector<NamedArray> to_arrays() const override { return {}; }

 private:
  SharedPosterior singles_;
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
