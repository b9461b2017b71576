// `hone run problem.toml` with simulators that are programs.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/problem_text.h"
#include "cli/program.h"
#include "files/forgery.h"

namespace hone {
namespace {

using Json = nlohmann::json;

// x = theta, by a program that is started for every simulation.
constexpr const char* kOneShot =
    R"(run = ["sh", "-c", "echo $1 $2 > $0", "{result}", "{theta[0]}", "{b}", "{id}"]
result = "x.csv")";

std::string problem(const std::string& simulator, const std::string& more = "") {
  return to_toml({.simulator = simulator + "\nworkers = 2\n" + more,
                  .prior_b = kNormalPrior,
                  .inference = std::string("budget = 400\nmax_epochs = 3\n") + kQuickNetworks});
}

class ProblemFile : public testing::Test {
 protected:
  ProgramResult hone(const Arguments& arguments) { return run_program(scratch_.path(), arguments); }
  void write(const std::string& text) { put_bytes(scratch_.path() / "problem.toml", text); }

  TemporaryDirectory scratch_;
};

TEST_F(ProblemFile, RunsAWorkerAndAOneShotProgramToTheSamePosterior) {
  std::vector<std::string> posteriors;
  for (const char* simulator : {kEchoWorker, kOneShot}) {
    write(problem(simulator));
    const std::string name = "run-" + std::to_string(posteriors.size());
    const ProgramResult result = hone({"run", "problem.toml", "-o", name});
    ASSERT_EQ(result.code, 0) << result;
    const Json facts = Json::parse(hone({"show", name, "--json"}).out);
    EXPECT_EQ(facts.at("simulations_total"), 400);
    EXPECT_EQ(facts.at("simulations_failed"), 0);
    posteriors.push_back(content_of(scratch_.path() / name / "posterior" / "posterior.h5"));
  }
  EXPECT_EQ(posteriors[0], posteriors[1]);
}

TEST_F(ProblemFile, OfAOneShotProgramMayUseFilesOfItsOwnNamesOrStandardOutput) {
  const std::pair<const char*, const char*> ways[] = {
      {"echo $0 $1", R"(run = ["sh", "-c", "echo $0 $1", "{a}", "{b}"])"},
      {"{result}", R"(run = ["sh", "-c", "echo $1 $2 > $0", "{result}", "{a}", "{b}"])"},
      {"files", R"(run = ["sh", "-c", "sed -n 's/^[ab] = //p' in.txt > out.txt"]
parameters = "in.txt"
result = "out.txt")"}};
  std::vector<std::string> posteriors;
  for (const auto& [name, simulator] : ways) {
    write(problem(simulator));
    const std::string run = "run-" + std::to_string(posteriors.size());
    const ProgramResult result = hone({"run", "problem.toml", "-o", run, "--budget", "100"});
    ASSERT_EQ(result.code, 0) << name << result;
    posteriors.push_back(content_of(scratch_.path() / run / "posterior" / "posterior.h5"));
    EXPECT_EQ(posteriors.back(), posteriors.front()) << name;
  }
}

TEST_F(ProblemFile, OfARunThatFinishedIsNotNeededToShowOrResumeIt) {
  write(problem(kEchoWorker));
  ASSERT_EQ(hone({"run", "problem.toml", "-o", "run"}).code, 0);
  std::filesystem::remove(scratch_.path() / "problem.toml");
  EXPECT_EQ(hone({"resume", "run"}).code, 0);
}

TEST_F(ProblemFile, DryRunSimulatesOnceAndWritesNothing) {
  write(problem(kEchoWorker));
  const ProgramResult result = hone({"run", "problem.toml", "--dry-run"});
  EXPECT_EQ(result.code, 0) << result;
  EXPECT_NE(result.out.find("one simulation: 2 values"), std::string::npos) << result;
  EXPECT_NE(result.out.find("would run 400 simulations"), std::string::npos) << result;
  EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "runs"));
}

TEST_F(ProblemFile, WithAWrongKeyIsRefusedByLineBeforeAnythingIsMade) {
  write(problem(kEchoWorker, "timeuot = 3"));
  const ProgramResult result = hone({"run", "problem.toml"});
  EXPECT_EQ(result.code, 2) << result;
  for (const char* part : {"problem.toml", "timeuot", "timeout"}) {
    EXPECT_NE(result.err.find(part), std::string::npos) << part << "\n" << result;
  }
  EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "runs"));
}

TEST_F(ProblemFile, OfAProgramThatIsMissingOrAlwaysFailsEndsWithTheReason) {
  write(problem(R"(command = ["./no-such-program"])"));
  const ProgramResult missing = hone({"run", "problem.toml"});
  EXPECT_EQ(missing.code, 2) << missing;
  EXPECT_NE(missing.err.find("no-such-program"), std::string::npos) << missing;
  write(problem(
      "run = [\"sh\", \"-c\", \"echo broken >&2; exit 3\", \"{theta}\"]\nresult = \"x.csv\""));
  const ProgramResult failing = hone({"run", "problem.toml"});
  EXPECT_EQ(failing.code, 1) << failing;
  EXPECT_NE(failing.err.find("broken"), std::string::npos) << failing;
}

}  // namespace
}  // namespace hone
