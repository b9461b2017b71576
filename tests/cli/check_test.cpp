#include <fstream>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/same_run.h"

namespace hone {
namespace {

using Json = nlohmann::json;

Json check(const std::filesystem::path& directory, const Arguments& more = {}) {
  const ProgramResult result = run_program(directory, Arguments{"check", "run", "--json"} + more);
  const Json json = Json::parse(result.out);
  EXPECT_EQ(result.code, json.at("verdict") == "fail" ? 1 : 0) << result;
  return json;
}

TEST(Check, EveryRunEndsWithAVerdictThatShowRepeats) {
  const TemporaryDirectory scratch;
  const ProgramResult run = run_program(scratch.path(), small_run("run"));
  EXPECT_EQ(run.code, 0) << run;
  EXPECT_TRUE(contains(run.out, "verdict: ")) << run;
  std::ifstream file(scratch.path() / "run" / "checks.json");
  const Json stored = Json::parse(file);
  const ProgramResult shown = run_program(scratch.path(), {"show", "run"});
  const std::string verdict = "verdict: " + stored.at("verdict").get<std::string>();
  EXPECT_TRUE(contains(shown.out, verdict.c_str())) << shown;
  const Json facts = Json::parse(run_program(scratch.path(), {"show", "run", "--json"}).out);
  EXPECT_EQ(facts.at("verdict"), stored.at("verdict"));
  EXPECT_EQ(facts.at("corrected"), false);
}

TEST(Check, JsonHasTheVerdictCoverageAndEveryCheck) {
  const TemporaryDirectory scratch;
  make_small_run(scratch.path(), "run");
  const Json json = check(scratch.path());
  EXPECT_EQ(json.at("draws_from"), "validation");
  ASSERT_EQ(json.at("coverage").size(), 6U);
  EXPECT_EQ(json.at("coverage").at(0).at("marginal"), "theta_0");
  EXPECT_EQ(json.at("coverage").at(0).at("levels").size(), 3U);
  EXPECT_EQ(json.at("sbc").size(), 3U);
  EXPECT_EQ(json.at("tarp").size(), 3U);
  std::vector<std::string> names;
  for (const Json& one : json.at("checks")) names.push_back(one.at("name"));
  for (const char* name : {"coverage", "sbc", "tarp", "local_c2st", "edges", "cut_truths", "probe",
                           "misspecification", "training", "projections"}) {
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
  }
  EXPECT_EQ(std::ranges::find(names, "ensemble"), names.end()) << "of a single network";
}

TEST(Check, IsTheSameOnAnyNumberOfThreads) {
  const TemporaryDirectory scratch;
  make_small_run(scratch.path(), "run");
  EXPECT_EQ(check(scratch.path(), {"--threads", "1"}), check(scratch.path(), {"--threads", "3"}));
}

TEST(Check, FreshSimulationsAreKeptAndTheRunStaysAsItWas) {
  const TemporaryDirectory scratch;
  make_small_run(scratch.path(), "run");
  const auto before = files_of(scratch.path() / "run" / "simulations");
  const Json first = check(scratch.path(), {"--simulations", "300"});
  EXPECT_EQ(first.at("draws_from"), "fresh");
  EXPECT_EQ(first.at("draws"), 300);
  EXPECT_EQ(files_of(scratch.path() / "run" / "simulations"), before);
  const auto kept = files_of(scratch.path() / "run" / "checks");
  EXPECT_EQ(check(scratch.path(), {"--simulations", "300"}), first);
  EXPECT_EQ(files_of(scratch.path() / "run" / "checks"), kept);
  EXPECT_EQ(run_program(scratch.path(), {"resume", "run"}).code, 0);
}

TEST(Check, AMissingVerdictIsMadeByResume) {
  const TemporaryDirectory scratch;
  make_small_run(scratch.path(), "run");
  const std::filesystem::path file = scratch.path() / "run" / "checks.json";
  const auto before = files_of(scratch.path() / "run");
  std::filesystem::remove(file);
  EXPECT_TRUE(contains(run_program(scratch.path(), {"show", "run"}).out, "not checked"));
  EXPECT_EQ(run_program(scratch.path(), {"resume", "run"}).code, 0);
  EXPECT_EQ(files_of(scratch.path() / "run"), before);
}

TEST(Check, ACorrectionIsReportedUsedAndTakenBack) {
  const TemporaryDirectory scratch;
  // Few simulations, hardly any to validate, long training at a constant rate: too sure.
  const ProgramResult run = run_program(scratch.path(), {"run",
                                                         "torus",
                                                         "-o",
                                                         "run",
                                                         "--budget",
                                                         "150",
                                                         "--dropout",
                                                         "0",
                                                         "--patience",
                                                         "150",
                                                         "--max-epochs",
                                                         "150",
                                                         "--method",
                                                         "mnre",
                                                         "--marginal",
                                                         "0",
                                                         "--ensemble",
                                                         "1",
                                                         "--validation-fraction",
                                                         "0.02",
                                                         "--weight-average",
                                                         "0",
                                                         "--rate-schedule",
                                                         "constant",
                                                         "--weight-decay",
                                                         "0"});
  ASSERT_EQ(run.code, 0) << run;
  const auto original = files_of(scratch.path() / "run" / "posterior");
  const Json json = check(scratch.path(), {"--simulations", "1000", "--correct"});
  ASSERT_EQ(json.at("correction").size(), 1U) << json.at("coverage");
  const Json& entry = json.at("correction").at(0);
  EXPECT_LT(entry.at("power"), 1);
  EXPECT_GT(entry.at("corrected68"), entry.at("coverage68"));
  EXPECT_EQ(files_of(scratch.path() / "run" / "posterior"), original);
  const ProgramResult shown = run_program(scratch.path(), {"show", "run"});
  EXPECT_TRUE(contains(shown.out, "corrected: theta_0 is widened")) << shown;
  const Arguments sample{"sample", "run", "--marginal", "0", "-n", "2000"};
  const ProgramResult wide = run_program(scratch.path(), sample);
  EXPECT_TRUE(contains(wide.err, "widened")) << wide;
  const ProgramResult plain = run_program(scratch.path(), sample + Arguments{"--uncorrected"});
  EXPECT_EQ(plain.err, "");
  EXPECT_NE(wide.out, plain.out);
  EXPECT_TRUE(check(scratch.path(), {"--uncorrect"}).at("correction").empty());
  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "run" / "corrected"));
  EXPECT_EQ(run_program(scratch.path(), sample).out, plain.out);
}

TEST(Check, RefusesWhatItCannotDo) {
  const TemporaryDirectory scratch;
  make_small_run(scratch.path(), "run");
  expect_refused(run_program(scratch.path(), {"check", "nowhere"}), 2, {"nowhere", "not a run"});
  expect_refused(run_program(scratch.path(), {"check", "run", "--correct", "--uncorrect"}), 2,
                 {"--correct"});
  std::filesystem::remove(scratch.path() / "run" / "posterior" / "summary.json");
  expect_refused(run_program(scratch.path(), {"check", "run"}), 2, {"not finished", "hone resume"});
  make_small_run(scratch.path(), "other");
  std::ofstream(scratch.path() / "other" / "checks.json") << "{";
  expect_refused(run_program(scratch.path(), {"show", "other"}), 1, {"checks.json", "damaged"});
}

}  // namespace
}  // namespace hone
