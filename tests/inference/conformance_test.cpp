// What every inference method must do, whatever it trains: a new row of method_table() is tested
// here without a line of its own. That its runs can be interrupted: tests/run/method_resume_test.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "hone/core/parallel.h"
#include "hone/posterior/marginal_grid.h"
#include "inference/support.h"

namespace hone {
namespace {

using test::Laboratory, test::small_options;

class EveryMethod : public testing::TestWithParam<std::string> {
 protected:
  static const Method& method() { return find_method(GetParam()); }
};

// theta uniform on [-1, 1]^2, x = theta + 0.1 noise, observed where the prior does not cut the
// posterior: N(x, 0.1^2) in each parameter.
constexpr double kNoise = 0.1;
const std::vector<double> kObserved{0.2, -0.1};

InferenceResult infer(const std::string& method, Index budget, int epochs, std::uint64_t seed = 5) {
  InferenceOptions options = small_options(budget);
  options.method = method;
  options.training.max_epochs = epochs;
  Laboratory laboratory(test::uniform_prior(2, -1, 1), 2, test::additive_noise(kNoise));
  Simulations simulations = laboratory.simulations(seed);
  return test::infer(simulations, kObserved, {{0}, {1}, {0, 1}}, options, Rng(seed),
                     test::gaussian(kObserved, kNoise));
}

// Within 0.2 sigma in the mean and 15 % in the width: small networks and 4,000 simulations stay
// within 0.07 and 4 % for six seeds.
testing::AssertionResult is_normal(const MarginalGrid& grid, double mean, double sigma) {
  const double shift = (grid_mean(grid) - mean) / sigma, width = grid_deviation(grid) / sigma;
  if (std::abs(shift) < 0.2 && std::abs(width - 1) < 0.15) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "mean off by " << shift << " sigma, width " << width;
}

TEST_P(EveryMethod, FindsThePosteriorOfAGaussianProblem) {
  // Posteriors that are learned apart divide the budget among themselves.
  const bool divides = method().estimator().name.ends_with("_parts");
  const InferenceResult result = infer(GetParam(), divides ? 3 * 4000 : 4000, 60);
  EXPECT_TRUE(method().needs_likelihood || result.rows >= kFewestRows) << result.rows;
  EXPECT_EQ(result.region, result.posterior.posterior->prior().region());
  for (int d = 0; d < 2; ++d) {
    const double truth = kObserved[std::size_t(d)];
    const MarginalGrid grid = make_grid({*result.posterior.posterior, {d}, kObserved}, 512);
    EXPECT_TRUE(is_normal(grid, truth, kNoise)) << d;
    // The control: an answer for data one sigma away, and one that is too wide, do not pass.
    EXPECT_FALSE(is_normal(grid, truth + kNoise, kNoise)) << d;
    std::vector<double> shifted = kObserved;
    shifted[std::size_t(d)] += kNoise;
    if (method().amortized) {
      const MarginalGrid other = make_grid({*result.posterior.posterior, {d}, shifted}, 512);
      EXPECT_FALSE(is_normal(other, truth, kNoise)) << d;
      EXPECT_TRUE(is_normal(other, truth + kNoise, kNoise)) << d;
    }
    constexpr double wider = 0.5;  // the power of a density that is sqrt(2) as wide
    EXPECT_FALSE(is_normal(make_grid({*result.posterior.posterior, {d}, kObserved, wider}, 512),
                           truth, kNoise))
        << d;
  }
}

TEST_P(EveryMethod, GivesThePosteriorsThatWereAskedFor) {
  const InferenceResult result = infer(GetParam(), 400, 3);
  const AmortizedPosterior& posterior = *result.posterior.posterior;
  EXPECT_EQ(posterior.marginals(), (std::vector<Marginal>{{0}, {1}, {0, 1}}));
  EXPECT_EQ(posterior.estimator(), method().estimator().name);
  EXPECT_EQ(std::ssize(result.posterior.histories),
            std::ssize(posterior.trained()) * posterior.curves());
}

// Projections of one joint posterior need no training.
TEST_P(EveryMethod, GivesOtherMarginalsOfAJointPosteriorWithoutTraining) {
  const InferenceResult result = infer(GetParam(), 400, 3);
  const AmortizedPosterior& posterior = *result.posterior.posterior;
  const SharedPosterior other = posterior.with_marginals({{1}});
  const auto samples = posterior.joint_samples(kObserved, 100, Rng(1));
  EXPECT_EQ(other != nullptr, samples.has_value());
  if (!other) return;
  EXPECT_EQ(make_grid({*other, {1}, kObserved}, 32).mass,
            make_grid({posterior, {1}, kObserved}, 32).mass);
  EXPECT_EQ(samples->rows(), 100);
  EXPECT_EQ(samples->cols(), 2);
  for (Index i = 0; i < samples->rows(); ++i) {
    for (const double theta : samples->row(i)) EXPECT_LE(std::abs(theta), 1);
  }
}

TEST_P(EveryMethod, HasTheSameBitsOnOneThreadAndOnTwo) {
  const auto arrays = [](int threads, std::uint64_t seed) {
    std::vector<NamedArray> result;
    with_threads(threads, [&] {
      result = infer(GetParam(), 500, 10, seed).posterior.posterior->to_arrays();
    });
    return result;
  };
  const std::vector<NamedArray> one = arrays(1, 5);
  EXPECT_EQ(one, arrays(2, 5));
  EXPECT_NE(one, arrays(2, 6));  // the control: another seed, other bits
}

TEST_P(EveryMethod, ReadsBackWhatItWrote) {
  const InferenceResult result = infer(GetParam(), 400, 5);
  const AmortizedPosterior& posterior = *result.posterior.posterior;
  const SharedPosterior again =
      find_estimator(posterior.estimator())
          .load(test::uniform_prior(2, -1, 1), result.region, posterior.to_arrays());
  EXPECT_EQ(again->to_arrays(), posterior.to_arrays());
  for (const Marginal& marginal : posterior.marginals()) {
    EXPECT_EQ(make_grid({*again, marginal, kObserved}, 32).mass,
              make_grid({posterior, marginal, kObserved}, 32).mass);
  }
}

TEST_P(EveryMethod, RefusesDataOfAnotherLengthAndMarginalsThatWereNotTrained) {
  const InferenceResult result = infer(GetParam(), 400, 3);
  const AmortizedPosterior& posterior = *result.posterior.posterior;
  const std::vector<double> wrong{0.1, 0.2, 0.3};
  const auto length = refusal([&] { MarginalPosterior(posterior, {0}, wrong); });
  EXPECT_TRUE(contains(length, "has 3 values, the simulator makes 2")) << length;
  const auto untrained = refusal([&] { posterior.find({1, 0}); });
  EXPECT_TRUE(contains(untrained, "has not been trained")) << untrained;
}

// Some find out in their first round, some when their posterior is asked about the observation.
TEST_P(EveryMethod, RefusesAnObservationOfAnotherLength) {
  if (method().needs_likelihood) GTEST_SKIP() << "the likelihood says what it thinks of it";
  InferenceOptions options = small_options(400);
  options.method = GetParam();
  options.training.max_epochs = 3;
  for (const std::vector<double>& wrong : {std::vector{0.2}, std::vector{0.2, -0.1, 0.3}}) {
    Laboratory laboratory(test::uniform_prior(2, -1, 1), 2, test::additive_noise(kNoise));
    Simulations simulations = laboratory.simulations();
    const auto text = refusal([&] {
      const InferenceResult result = test::infer(simulations, wrong, {{0}}, options, Rng(5));
      make_grid({*result.posterior.posterior, {0}, wrong}, 32);
    });
    EXPECT_TRUE(contains(text, fmt::format("has {} values, the simulator makes 2", wrong.size())))
        << text;
  }
}

TEST_P(EveryMethod, StopsWhenItIsAsked) {
  class Stop final : public Observer {
    bool stop_requested() override { return true; }
  } stop;
  const InferenceOptions options = [] {
    InferenceOptions small = small_options(400);
    small.method = GetParam();
    return small;
  }();
  Laboratory laboratory(test::uniform_prior(2, -1, 1), 2, test::additive_noise(kNoise));
  Simulations simulations = laboratory.simulations();
  error_text(
      [&] {
        method().infer({.simulations = simulations,
                        .observation = kObserved,
                        .marginals = {{0}},
                        .options = options,
                        .rng = Rng(5),
                        .observer = stop,
                        .log_likelihood = test::gaussian(kObserved, kNoise)});
      },
      ErrorKind::interrupted);
}

TEST_P(EveryMethod, RefusesToBeginWithoutTheLikelihoodThatItNeeds) {
  if (!method().needs_likelihood) GTEST_SKIP() << "it needs none";
  InferenceOptions options = small_options(400);
  options.method = GetParam();
  Laboratory laboratory(test::uniform_prior(2, -1, 1), 2, test::additive_noise(kNoise));
  Simulations simulations = laboratory.simulations();
  const auto text = refusal([&] { test::infer(simulations, kObserved, {{0}}, options, Rng(5)); });
  EXPECT_TRUE(contains(text, GetParam()) && contains(text, "likelihood")) << text;
}

TEST_P(EveryMethod, IsDescribedAndNamesGroupsOfOptionsThatThereAre) {
  EXPECT_FALSE(method().name.empty());
  EXPECT_FALSE(method().title.empty());
  EXPECT_FALSE(method().summary.empty());
  EXPECT_FALSE(method().estimator().name.empty());
  EXPECT_FALSE(method().option_groups.empty());
  for (const std::string& group : method().option_groups) {
    EXPECT_GT(std::ranges::count(option_table(), group, &OptionEntry::group), 0) << group;
  }
  EXPECT_EQ(std::ranges::count(method_names(), GetParam()), 1) << "its name is its own";
}

TEST_P(EveryMethod, HasAPageThatBeginsWithItsTitle) {
  const std::filesystem::path file =
      std::filesystem::path(HONE_SOURCE_DIR) / "docs" / "methods" / (GetParam() + ".md");
  ASSERT_TRUE(std::filesystem::exists(file)) << file;
  const std::string page = bytes_of(file);
  EXPECT_TRUE(page.starts_with("# " + method().title)) << page.substr(0, 80);
  EXPECT_TRUE(contains(page, "--method " + GetParam())) << "it shows the command";
  EXPECT_TRUE(contains(page, "(../algorithm.md")) << "it says where the algorithm is";
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, testing::ValuesIn(method_names()),
                         [](const auto& one) { return one.param; });

TEST(MethodTable, NamesTheNearestOfWhatItDoesNotKnow) {
  const auto text = refusal([] { find_method("tmnr"); });
  EXPECT_TRUE(contains(text, "'tmnr'") && contains(text, "'tmnre'")) << text;
  const auto estimator = error_text([] { find_estimator("rati"); }, ErrorKind::io);
  EXPECT_TRUE(contains(estimator, "'rati'")) << estimator;
}

// The control of the groups: those of the table, and nothing else.
TEST(MethodTable, ReadsEveryGroupOfOptionsByOneMethodAtLeast) {
  for (const OptionEntry& option : option_table()) {
    EXPECT_TRUE(std::ranges::any_of(method_table(),
                                    [&](const Method& method) {
                                      return std::ranges::count(method.option_groups,
                                                                option.group) == 1;
                                    }))
        << option.name << " of " << option.group;
  }
}

}  // namespace
}  // namespace hone
