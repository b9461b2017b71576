#include "hone/bench/case.h"

#include <set>

#include <gtest/gtest.h>

#include "files/test_files.h"
#include "hone/bench/studies.h"
#include "hone/inference/option_table.h"

namespace hone {
namespace {

TEST(BenchCase, OptionsAreWhatDiffersFromThePresetAndReadBackTheSame) {
  InferenceOptions options = preset("default");
  set_option(options, "epsilon", "1e-3");
  set_option(options, "round_schedule", "growth");
  set_option(options, "hidden", "24");
  const std::string text = option_changes(options, "default");
  EXPECT_EQ(text, "round_schedule=growth epsilon=0.001 hidden=24");
  const BenchCase run{.task = "torus", .budget = 700, .method = "mnre", .options = text};
  options.method = "mnre";
  options.budget = 700;
  EXPECT_EQ(to_json(inference_options(run)), to_json(options));
}

TEST(BenchCase, AnOptionSetToItsDefaultIsNoChange) {
  InferenceOptions options = preset("paper");
  set_option(options, "hidden", "64");
  EXPECT_EQ(option_changes(options, "paper"), "");
  EXPECT_NE(option_changes(options, "default"), "");
}

TEST(BenchCase, APublishedPresetHasTheSettingsOfTheMethod) {
  BenchCase run{.task = "torus", .budget = 700, .method = "snle", .preset = "published"};
  EXPECT_EQ(inference_options(run).density.components, 1);
  run.method = "snpe";
  EXPECT_EQ(inference_options(run).density.components, 11);
  // What a user asks for holds for every method, also where it is what the preset has for another.
  const InferenceOptions options = preset("published");
  run.method = "snle";
  run.options = option_changes(options, "published", {"density", "components", "depth"});
  EXPECT_EQ(run.options, "density=spline components=11");
  EXPECT_TRUE(inference_options(run).density.form == DensityForm::spline);
}

TEST(BenchCase, WrongSettingsAreRefused) {
  BenchCase run{.task = "torus", .budget = 1000};
  const auto refusal = [&] {
    return error_text([&] { inference_options(run); }, ErrorKind::input);
  };
  run.method = "abc";
  EXPECT_TRUE(contains(refusal(), "allowed: tmnre, mnre"));
  run = {.task = "torus", .budget = 1};
  EXPECT_TRUE(contains(refusal(), "budget = 1"));
  run = {.task = "torus", .budget = 1000, .options = "hiden=3"};
  EXPECT_TRUE(contains(refusal(), "did you mean 'hidden'?"));
  run = {.task = "torus", .budget = 1000, .options = "hidden"};
  EXPECT_TRUE(contains(refusal(), "name=value"));
}

TEST(BenchCase, APlanIsItsWholeGridWithDistinctNames) {
  const BenchPlan plan{.tasks = {"torus", "eggbox"},
                       .budgets = {100, 200},
                       .observations = {1, 2, 3},
                       .seeds = {7, 8},
                       .methods = {"tmnre", "mnre"}};
  const std::vector<BenchCase> cases = cases_of(plan);
  EXPECT_EQ(cases.size(), 48U);
  std::set<std::string> names;
  for (const BenchCase& run : cases) names.insert(case_name(run));
  EXPECT_EQ(names.size(), cases.size());
  EXPECT_EQ(cases.front().budget, 100);
  EXPECT_EQ(cases.back().budget, 200);
  BenchCase other = cases.front();
  other.options = "hidden=8";
  EXPECT_NE(case_name(other), case_name(cases.front()));
}

TEST(Studies, TheTorusComparesBothMethodsWithTheSameSimulations) {
  const std::vector<BenchCase> cases = torus_cases({.seeds = {3}}, kPaperTorusBudgets);
  ASSERT_EQ(cases.size(), 7U);  // both are one before the first cut
  for (std::size_t m = 1; m < 4; ++m) {
    const BenchCase &mnre = cases[2 * m - 1], &tmnre = cases[2 * m];
    EXPECT_EQ(mnre.method, "mnre");
    EXPECT_EQ(tmnre.method, "tmnre");
    EXPECT_EQ(mnre.budget, tmnre.budget);
    const InferenceOptions options = inference_options(tmnre);
    EXPECT_EQ(options.max_rounds, static_cast<int>(m));
    EXPECT_NEAR(options.round_fraction * static_cast<double>(tmnre.budget), 4985, 1e-6);
  }
  EXPECT_TRUE(contains(error_text(
                           [] {
                             torus_cases({}, {2000, 1000});
                           },
                           ErrorKind::input),
                       "ascending"));
}

TEST(Studies, TheScanStopsSimulatingWhenTheRegionStopsShrinking) {
  const std::vector<BenchCase> cases = epsilon_cases({.seeds = {1, 2}}, {1e-2, 1e-6}, 5000, 90000);
  ASSERT_EQ(cases.size(), 4U);
  const InferenceOptions options = inference_options(cases.back());
  EXPECT_FALSE(options.spend_all);
  EXPECT_EQ(options.round_increment, 5000);
  EXPECT_DOUBLE_EQ(options.truncation.epsilon, 1e-6);
  EXPECT_EQ(options.budget, 90000);
}

}  // namespace
}  // namespace hone
