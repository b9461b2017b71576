#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace hone {
namespace {

using Json = nlohmann::json;

Json show(const std::filesystem::path& directory, const std::string& run) {
  const ProgramResult result = run_program(directory, {"show", run, "--json"});
  EXPECT_EQ(result.code, 0) << result;
  EXPECT_EQ(result.err, "");
  return Json::parse(result.out);
}

TEST(Show, JsonHasTheFactsOfAFinishedRun) {
  const TemporaryDirectory scratch;
  make_small_run(scratch.path(), "run");
  const Json json = show(scratch.path(), "run");
  EXPECT_EQ(json.at("finished"), true);
  EXPECT_EQ(json.at("simulations_total"), 2000);
  EXPECT_EQ(json.at("simulations_failed"), 0);
  ASSERT_GE(json.at("rounds").size(), 2U);
  double mass = 1;
  for (const Json& round : json.at("rounds")) {
    EXPECT_DOUBLE_EQ(round.at("prior_mass"), mass);
    mass = round.at("prior_mass_after");
    ASSERT_EQ(round.at("bounds").size(), 3U);
    for (const Json& axis : round.at("bounds")) {
      EXPECT_LT(axis.at("low"), axis.at("high"));
      EXPECT_EQ(axis.at("intervals").at(0).at(0), axis.at("low"));
      EXPECT_EQ(axis.at("intervals").back().at(1), axis.at("high"));
    }
  }
  EXPECT_EQ(json.at("region").at("bounds").size(), 3U);
  ASSERT_EQ(json.at("parameters").size(), 3U);
  EXPECT_EQ(json.at("parameters").at(0).at("name"), "theta_0");
  EXPECT_EQ(json.at("parameters").at(0).at("interval_95").at(0).size(), 2U);
  EXPECT_TRUE(json.at("warnings").is_array());
}

TEST(Show, WarningsSayWhatAndWhatToDo) {
  const TemporaryDirectory scratch;
  const ProgramResult run = run_program(
      scratch.path(), {"run", "torus", "-o", "run", "--budget", "100", "--max-epochs", "1"});
  EXPECT_EQ(run.code, 0) << run;
  EXPECT_TRUE(contains(run.out, "warning: only 100 simulations lie in the final region")) << run;
  const Json warnings = show(scratch.path(), "run").at("warnings");
  ASSERT_FALSE(warnings.empty());
  for (const Json& warning : warnings) {
    EXPECT_FALSE(warning.at("kind").get<std::string>().empty());
    EXPECT_FALSE(warning.at("message").get<std::string>().empty());
    EXPECT_FALSE(warning.at("advice").get<std::string>().empty());
  }
}

TEST(Show, TablesNameEveryParameterAndRound) {
  const TemporaryDirectory scratch;
  make_small_run(scratch.path(), "run");
  const ProgramResult result = run_program(scratch.path(), {"show", "run"});
  EXPECT_EQ(result.code, 0) << result;
  for (const char* part : {"torus (seed 1), finished", "2000 of 2000 simulations", "prior mass",
                           "theta_2", "95 % interval", "final"}) {
    EXPECT_TRUE(contains(result.out, part)) << part << "\n" << result;
  }
}

TEST(Show, AnUnfinishedRunCanBeShown) {
  const TemporaryDirectory scratch;
  make_small_run(scratch.path(), "run");
  const std::filesystem::path run = scratch.path() / "run";
  // A run that was stopped after each of its parts in turn.
  for (const char* part : {"posterior", "networks", "rounds", "simulations"}) {
    std::filesystem::remove_all(run / part);
    const Json json = show(scratch.path(), "run");
    EXPECT_EQ(json.at("finished"), false);
    EXPECT_TRUE(json.at("parameters").empty());
    EXPECT_EQ(json.contains("region"), part == std::string("posterior"));
    EXPECT_EQ(json.at("rounds").empty(), !std::filesystem::exists(run / "rounds"));
    const ProgramResult text = run_program(scratch.path(), {"show", "run"});
    EXPECT_EQ(text.code, 0) << text;
    EXPECT_TRUE(contains(text.out, "not finished; continue it with `hone resume run`")) << text;
  }
  EXPECT_EQ(show(scratch.path(), "run").at("simulations_total"), 0);
}

TEST(Show, AFinishedRunIsShownAgainByResume) {
  const TemporaryDirectory scratch;
  make_small_run(scratch.path(), "run");
  const ProgramResult result = run_program(scratch.path(), {"resume", "run"});
  EXPECT_EQ(result.code, 0) << result;
  EXPECT_TRUE(contains(result.out, "run is finished already")) << result;
  EXPECT_TRUE(contains(result.out, "theta_1")) << result;
}

}  // namespace
}  // namespace hone
