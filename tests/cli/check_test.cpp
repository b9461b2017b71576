#include <fstream>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/same_run.h"
#include "files/forgery.h"
#include "hone/core/rng.h"

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
  EXPECT_TRUE(contains(shown.out, verdict)) << shown;
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
                           "misspecification", "training", "projections", "sampling"}) {
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
  }
  EXPECT_EQ(std::ranges::find(names, "ensemble"), names.end()) << "of a single network";
}

// Of true values of test draws, the part that the rule of the cuts would have dropped.
double cut_part(const std::filesystem::path& directory, const char* epsilon) {
  const Arguments arguments{"run",
                            "torus",
                            "-o",
                            "run",
                            "--budget",
                            "2000",
                            "--max-epochs",
                            "15",
                            "--learning-rate",
                            "0.01",
                            "--ensemble",
                            "1",
                            "--round-ensemble",
                            "1",
                            "--ensemble-rows",
                            "0",
                            "--hidden",
                            "16",
                            "--padding",
                            "0",
                            "--padding-rows",
                            "0",
                            "--epsilon",
                            epsilon};
  const ProgramResult run = run_program(directory, arguments);
  EXPECT_EQ(run.code, 0) << run;
  const Json json = check(directory);
  double cut = 0, draws = 0;
  for (const Json& one : json.at("cuts")) {
    cut += one.at("cut_truths").get<double>();
    draws += one.at("draws").get<double>();
  }
  EXPECT_GT(draws, 50);
  return cut / draws;
}

TEST(Check, CountsTrueValuesThatTheRuleWouldHaveCut) {
  // Of a right posterior epsilon = 0.3 drops erfc(sqrt(-log 0.3)) = 0.12 if it is Gaussian, and
  // less if it is wide, as those of networks are that saw 200 simulations: 26 of 786.
  const TemporaryDirectory tight, safe;
  EXPECT_GT(cut_part(tight.path(), "0.3"), 0.015);
  EXPECT_LT(cut_part(safe.path(), "2e-6"), 0.005);
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

// The probe of a run on the eggbox, whose parameters have modes at 0.25 and 0.75, after its only
// cut has been made to keep no more than [low, high] of theta_0.
Json probe_after_cut(double low, double high) {
  const TemporaryDirectory scratch;
  const std::filesystem::path run = scratch.path() / "run";
  const ProgramResult made =
      run_program(scratch.path(), {"run", "eggbox", "-o", "run", "--budget", "1500", "--max-rounds",
                                   "1", "--max-epochs", "30", "--marginal", "theta_0"});
  EXPECT_EQ(made.code, 0) << made;
  forge(run / "rounds" / "round-01.json", [&](nlohmann::ordered_json& round) {
    round["cut"]["region"]["axes"][0] =
        Json::array({Json{{"low", {low, 1 - low}}, {"high", {high, 1 - high}}}});
  });
  for (const char* result : {"networks", "posterior", "checks.json"}) {
    std::filesystem::remove_all(run / result);
  }
  const ProgramResult resumed = run_program(scratch.path(), {"resume", "run"});
  EXPECT_EQ(resumed.code, 0) << resumed;
  const Json checks = check(scratch.path());
  return *std::ranges::find(checks.at("checks"), "probe",
                            [](const Json& one) { return one.at("name").get<std::string>(); });
}

TEST(Check, NoticesAModeThatWasCutAway) {
  const Json lost = probe_after_cut(0, 0.5);
  EXPECT_EQ(lost.at("status"), "fail") << lost;
  EXPECT_TRUE(contains(lost.at("reason"), "have a value of theta_0 that round 1 cut")) << lost;
  EXPECT_EQ(probe_after_cut(0.02, 0.98).at("status"), "pass");
}

// x = theta with noise of 0.05, of which the run's data are then said to have twice as much:
// posteriors that are far too narrow.
void make_overconfident_run(const std::filesystem::path& directory) {
  std::string table = "a,x0\n";
  for (int i = 0; i < 3000; ++i) {
    const double a = Rng(4).child("row", static_cast<std::uint64_t>(i)).uniform();
    table += fmt::format("{0:.17g},{0:.17g}\n", a);
  }
  put_bytes(directory / "sims.csv", table);
  put_bytes(directory / "problem.toml",
            "[simulator]\ndataset = \"sims.csv\"\n"
            "[noise]\nkind = \"gaussian\"\nsigma = [0.05]\n"
            "[observation]\nvalues = [0.4]\n"
            "[[parameters]]\nname = \"a\"\nprior = { kind = \"uniform\", low = 0, high = 1 }\n"
            "[inference]\nbudget = 3000\nmethod = \"mnre\"\nmax_epochs = 10\nhidden = 16\n");
  const ProgramResult run = run_program(directory, {"run", "problem.toml", "-o", "run"});
  ASSERT_EQ(run.code, 0) << run;
  forge(directory / "run" / "run.json",
        [](nlohmann::ordered_json& json) { json["noise"]["sigma"] = {0.1}; });
}

TEST(Check, PosteriorsThatAreTooNarrowFail) {
  const TemporaryDirectory scratch;
  make_overconfident_run(scratch.path());
  const ProgramResult result = run_program(scratch.path(), {"check", "run"});
  EXPECT_EQ(result.code, 1) << result;
  EXPECT_TRUE(contains(result.out, "verdict: fail")) << result;
  EXPECT_TRUE(contains(result.out, "coverage: overconfident")) << result;
  EXPECT_TRUE(contains(result.err, "fails its checks")) << result;
  const ProgramResult more = run_program(scratch.path(), {"check", "run", "--simulations", "10"});
  expect_refused(more, 2, {"--simulations 10", "data set"});
}

TEST(Check, ACorrectionIsReportedUsedAndTakenBack) {
  const TemporaryDirectory scratch;
  make_overconfident_run(scratch.path());
  const auto original = files_of(scratch.path() / "run" / "posterior");
  const Json json = check(scratch.path(), {"--correct"});
  ASSERT_EQ(json.at("correction").size(), 1U);
  const Json& entry = json.at("correction").at(0);
  EXPECT_NEAR(entry.at("power"), 0.25, 0.1);  // twice as wide
  EXPECT_LT(entry.at("coverage68"), 0.5);
  EXPECT_NEAR(entry.at("corrected68"), 0.683, 0.1);
  EXPECT_EQ(files_of(scratch.path() / "run" / "posterior"), original);
  const ProgramResult shown = run_program(scratch.path(), {"show", "run"});
  EXPECT_TRUE(contains(shown.out, "corrected: a is widened")) << shown;
  const Arguments sample{"sample", "run", "--marginal", "a", "-n", "500"};
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
