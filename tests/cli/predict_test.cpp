// Draws of all parameters, and simulations from them.

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "hone/check/joint_check.h"

namespace hone {
namespace {

class Predict : public testing::Test {
 protected:
  void SetUp() override {
    const ProgramResult run = run_program(
        scratch.path(), small_run("run") + Arguments{"--derived", "sum = theta_0 + theta_1",
                                                     "--density-steps", "50"});
    ASSERT_EQ(run.code, 0) << run;
  }
  ProgramResult hone(const Arguments& arguments) { return run_program(scratch.path(), arguments); }
  TemporaryDirectory scratch;
};

TEST_F(Predict, SampleWithoutAMarginalDrawsEverything) {
  const Arguments draw{"sample", "run", "-n", "40", "--anyway"};
  const ProgramResult result = hone(draw);
  EXPECT_EQ(result.code, 0) << result;
  EXPECT_TRUE(result.out.starts_with("theta_0,theta_1,theta_2,sum\n")) << result.out;
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 41);
  // Who was chosen to answer is said then and later, in the same words.
  const std::string shown = hone({"show", "run"}).out, from = "joint posterior, drawn from ";
  ASSERT_TRUE(contains(shown, from)) << shown;
  const std::size_t begin = shown.find(from) + from.size();
  const std::string who = shown.substr(begin, shown.find('\n', begin) - begin);
  EXPECT_TRUE(contains(result.err, "the joint posterior (" + who + "):")) << result.err;
  EXPECT_TRUE(contains(result.err, "the run's own marginals differ by")) << result.err;
  EXPECT_EQ(hone(draw).out, result.out);  // and is not trained again
  EXPECT_TRUE(std::filesystem::exists(scratch.path() / "run/networks/joint.h5"));
}

TEST_F(Predict, PrintsStatisticsAndKeepsSimulationsApart) {
  const ProgramResult result = hone({"predict", "run", "-n", "50"});
  EXPECT_EQ(result.code, 0) << result;
  EXPECT_TRUE(contains(result.out, "50 simulations with parameters from the joint posterior"));
  EXPECT_TRUE(contains(result.out, "largest deviation")) << result.out;
  const ProgramResult json = hone({"predict", "run", "-n", "50", "--from", "region", "--json"});
  EXPECT_EQ(nlohmann::json::parse(json.out).at("from"), "region");
  EXPECT_TRUE(contains(hone({"show", "run", "--json"}).out, "\"simulations_total\": 2000"));
  EXPECT_EQ(hone({"report", "run"}).code, 0);
  EXPECT_TRUE(contains(bytes_of(scratch.path() / "run/report.html"), "largest deviation"));
}

TEST_F(Predict, AJointPosteriorThatFailsIsNeverUsedSilently) {
  ASSERT_EQ(hone({"predict", "run", "-n", "20", "--anyway"}).code, 0);
  const RunDirectory run = RunDirectory::open(scratch.path() / "run");
  write_joint_check(run, {.name = "joint", .status = Status::fail, .reason = "all too narrow"});
  for (const Arguments& command : {Arguments{"predict", "run", "-n", "20"}, {"sample", "run"}}) {
    expect_refused(hone(command), 1, {"fails its check: all too narrow", "or add --anyway"});
    const ProgramResult anyway = hone(command + Arguments{"--anyway"});
    EXPECT_EQ(anyway.code, 0) << anyway;
    EXPECT_TRUE(contains(anyway.err, "fail: all too narrow")) << anyway.err;
  }
  EXPECT_TRUE(contains(hone({"show", "run"}).out, "the joint posterior: fail: all too narrow"));
  EXPECT_TRUE(contains(hone({"show", "run", "--json"}).out, "\"reason\": \"all too narrow\""));
  EXPECT_EQ(hone({"report", "run"}).code, 0);
  EXPECT_TRUE(contains(bytes_of(scratch.path() / "run/report.html"), "all too narrow"));
}

TEST_F(Predict, WrongUseIsRefused) {
  expect_refused(hone({"predict", "run", "--from", "priors"}), 2, {"did you mean 'prior'?"});
  expect_refused(hone({"predict", "run", "-n", "3"}), 2, {"count = 3: must lie in 20"});
  expect_refused(hone({"predict", "nothing"}), 2, {"not a run of hone"});
}

}  // namespace
}  // namespace hone
