#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace hone {
namespace {

class Usage : public testing::Test {
 protected:
  ProgramResult run(const Arguments& arguments) { return run_program(scratch.path(), arguments); }
  void expect_nothing_on_disk() { EXPECT_TRUE(std::filesystem::is_empty(scratch.path())); }
  TemporaryDirectory scratch;
};

TEST_F(Usage, EveryCommandExplainsItself) {
  for (const char* command :
       {"run", "resume", "show", "sample", "compare", "train", "tasks", "options"}) {
    const ProgramResult result = run({command, "--help"});
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_TRUE(contains(result.out, "Usage: hone " + std::string(command))) << result;
    EXPECT_EQ(result.err, "");
  }
  EXPECT_TRUE(contains(run({"run", "--help"}).out, "--round-fraction"));
  EXPECT_TRUE(contains(run({"--help"}).out, "resume"));
  EXPECT_EQ(run({"--version"}).out, "hone 0.2.0\n");
  expect_nothing_on_disk();
}

TEST_F(Usage, AMissingOrUnknownCommandIsWrongUse) {
  expect_refused(run({}), 2, {"subcommand is required"});
  expect_refused(run({"resum", "x"}), 2, {"no command 'resum'", "did you mean 'resume'?"});
  expect_refused(run({"run"}), 2, {"problem: must be given", "hone tasks", "--from"});
  expect_refused(run({"sample", "x"}), 2, {"x: not a run of hone"});
}

TEST_F(Usage, AnUnknownTaskIsRefusedWithTheNearestName) {
  expect_refused(run({"run", "toru"}), 2, {"'toru'", "did you mean 'torus'?", "eggbox"});
  expect_nothing_on_disk();
}

TEST_F(Usage, AnUnknownOptionIsRefusedWithTheNearestName) {
  expect_refused(run({"run", "torus", "--bugdet", "500"}), 2,
                 {"'--bugdet'", "did you mean '--budget'?", "hone run --help"});
  expect_refused(run({"run", "torus", "--budget=500", "second"}), 2, {"'second'"});
  expect_nothing_on_disk();
}

TEST_F(Usage, AValueOutOfRangeIsRefusedBeforeAnythingIsWritten) {
  const std::vector<std::pair<Arguments, std::string>> cases{
      {{"--budget", "10"}, "--budget = 10: must lie in 50 .. 1000000000"},
      {{"--budget", "99999999999"}, "budget"},
      {{"--budget", "many"}, "budget = \"many\": must be a whole number"},
      {{"--budget", "100.5"}, "whole number"},
      {{"--epsilon", "2"}, "epsilon = 2: must lie in (0, 1)"},
      {{"--epsilon", "nan"}, "epsilon"},
      {{"--learning-rate", "0"}, "--learning-rate = 0: must be greater than 0"},
      {{"--learning-rate", "inf"}, "--learning-rate"},
      {{"--max-epochs", "0"}, "--max-epochs = 0: must be 1 or greater"},
      {{"--max-epochs", "99999999999999999999"}, "--max-epochs"},
      {{"--hidden", "99999999"}, "hone: --hidden = 99999999: must lie in 1 .. 16384"},
      {{"--ensemble", "-1"}, "ensemble = -1"},
      {{"--poisson-counts", "perhaps"}, "true or false"},
      {{"--method", "abc"}, "allowed: tmnre, mnre"},
      {{"--preset", "mine"}, "must be one of default, paper"},
      {{"--embedding", "linear", "--embedding-features", "0"}, "--embedding-features = 0"},
      {{"--seed", "-1"}, "must be a whole number from 0 to 18446744073709551615"},
      {{"--seed", "99999999999999999999"}, "seed"},
      {{"--threads", "-1"}, "threads"},
      {{"--marginal", "7"}, "index 7 must be between 0 and 2"},
      {{"--marginal", "0,0"}, "named twice"},
      {{"--marginal", "theta_9"}, "did you mean 'theta_0'?"},
      {{"--marginal", "0,,1"}, "a parameter is missing"}};
  for (const auto& [arguments, message] : cases) {
    expect_refused(run(Arguments{"run", "torus"} + arguments), 2, {message});
    expect_nothing_on_disk();
  }
}

TEST_F(Usage, WholeNumbersMayBeWrittenWithAnExponent) {
  expect_refused(run({"run", "torus", "--budget", "1e1"}), 2, {"budget = 10"});
  expect_nothing_on_disk();
}

TEST_F(Usage, AnExistingDirectoryIsNeverOverwritten) {
  std::filesystem::create_directory(scratch.path() / "mine");
  put_bytes(scratch.path() / "mine" / "notes.txt", "keep me");
  expect_refused(run({"run", "torus", "-o", "mine"}), 2, {"mine", "not empty"});
  expect_refused(run({"run", "torus", "-o", "mine/notes.txt"}), 2, {"not a directory"});
  EXPECT_EQ(bytes_of(scratch.path() / "mine" / "notes.txt"), "keep me");
  std::filesystem::create_directory(scratch.path() / "empty");
  make_small_run(scratch.path(), "empty");
  expect_refused(run(small_run("empty")), 2, {"empty", "not empty", "hone resume empty"});
}

TEST_F(Usage, RunsAreNumberedWithoutAName) {
  Arguments arguments = small_run("");
  arguments.erase(arguments.begin() + 2, arguments.begin() + 4);  // -o
  for (const char* name : {"runs/torus-1", "runs/torus-2"}) {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_TRUE(contains(result.out, std::string("results: ") + name)) << result;
    EXPECT_TRUE(contains(result.err, std::string("writing to ") + name)) << result;
  }
}

TEST_F(Usage, WhatIsNotARunIsRefused) {
  std::filesystem::create_directory(scratch.path() / "other");
  for (const char* directory : {"other", "nowhere"}) {
    for (const Arguments& command :
         {Arguments{"show", directory}, Arguments{"resume", directory},
          Arguments{"show", directory, "--json"}, Arguments{"sample", directory, "--marginal", "0"},
          Arguments{"train", directory, "--marginal", "joint"}}) {
      expect_refused(run(command), 2, {directory, "not a run of hone"});
    }
  }
}

TEST_F(Usage, TasksAndOptionsAreListed) {
  const ProgramResult tasks = run({"tasks", "--json"});
  EXPECT_EQ(tasks.code, 0);
  const auto json = nlohmann::json::parse(tasks.out);
  EXPECT_EQ(json.at(0).at("name"), "torus");
  EXPECT_EQ(json.at(0).at("parameters").size(), 3U);
  EXPECT_TRUE(contains(run({"tasks"}).out, "gaussian_linear"));
  EXPECT_TRUE(contains(run({"options"}).out, "round_fraction"));
  EXPECT_TRUE(contains(run({"options", "--markdown"}).out, "| `epsilon` |"));
}

TEST_F(Usage, OutputThatCannotBeWrittenIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  const std::string command =
      std::string(HONE_PROGRAM) + " tasks > /dev/full 2> " + (scratch.path() / "err").string();
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
  EXPECT_TRUE(contains(bytes_of(scratch.path() / "err"), "No space left on device"));
}

}  // namespace
}  // namespace hone
