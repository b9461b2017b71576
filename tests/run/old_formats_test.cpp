// Runs that an older hone left behind (tests/run/data/format-1, its README says how they were
// made): they can be read, drawn from and gone on with, and the answers are those of that version.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "hone/engine/gemm.h"
#include "hone/engine/kernels.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

std::string processor_field(const std::string& name) {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const auto colon = line.find(": ");
    if (colon != line.npos && line.substr(0, line.find('\t')) == name)
      return line.substr(colon + 2);
  }
  return "unknown";
}

// Sums are taken in the order of the machine's vector instructions. Another machine rounds
// differently, and has no bytes to compare.
bool rounds_as_then() {
  const std::string here =
      fmt::format("{} {} {} {} {}\n", to_string(supported_instruction_sets().back()),
                  has_libxsmm() ? "libxsmm" : "eigen", processor_field("vendor_id"),
                  processor_field("cpu family"), processor_field("model"));
  return here == bytes_of(HONE_SOURCE_DIR "/tests/run/data/format-1/rounding.txt");
}

class OldRun : public testing::Test {
 protected:
  OldRun() {
    fs::copy(HONE_SOURCE_DIR "/tests/run/data/format-1", directory_.path(),
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }
  ProgramResult run(const Arguments& arguments) {
    return run_program(directory_.path(), arguments);
  }
  std::string bytes(const fs::path& file) {
    EXPECT_TRUE(fs::exists(directory_.path() / file)) << file;
    return bytes_of(directory_.path() / file);
  }
  void remove(const fs::path& path) {
    EXPECT_GT(fs::remove_all(directory_.path() / path), 0U) << path;
  }
  // Of the run that the older version finished.
  void expect_the_bytes_of_then(const fs::path& run) {
    if (!rounds_as_then()) GTEST_SKIP() << "this machine rounds differently";
    for (const char* file : {"networks/main.h5", "posterior/posterior.h5", "rounds/round-01.h5",
                             "rounds/round-02.h5"}) {
      EXPECT_TRUE(bytes(run / file) == then(file)) << run << " " << file;
    }
    // A newer version says more in it, and warns in other words.
    const auto summary = nlohmann::json::parse(bytes(run / "posterior" / "summary.json"));
    const auto old_summary = nlohmann::json::parse(then("posterior/summary.json"));
    EXPECT_EQ(summary.at("parameters"), old_summary.at("parameters"));
  }
  static std::string then(const std::string& file) {
    return bytes_of(HONE_SOURCE_DIR "/tests/run/data/format-1/finished/" + file);
  }

  TemporaryDirectory directory_;
};

TEST_F(OldRun, IsShownAsItWas) {
  const ProgramResult finished = run({"show", "finished"});
  EXPECT_EQ(finished.code, 0) << finished;
  EXPECT_EQ(finished.out, bytes("show.txt"));
  const ProgramResult unfinished = run({"show", "unfinished"});
  EXPECT_EQ(unfinished.code, 0) << unfinished;
  EXPECT_TRUE(contains(unfinished.out, "not finished")) << unfinished;
  EXPECT_TRUE(contains(unfinished.out, "100 of 500 simulations")) << unfinished;
}

TEST_F(OldRun, GivesTheSamplesThatItGave) {
  for (const char* marginal : {"pair", "joint"}) {  // of the run, and trained later
    const std::string parameters = marginal == std::string("pair") ? "0,1" : "joint";
    const ProgramResult result =
        run({"sample", "finished", "--marginal", parameters, "-n", "40", "-o", "again.csv"});
    ASSERT_EQ(result.code, 0) << result;
    const std::string again = bytes("again.csv");
    EXPECT_EQ(std::ranges::count(again, '\n'), 41);
    if (rounds_as_then()) {
      EXPECT_EQ(again, bytes(std::string(marginal) + ".csv"));
    }
    fs::remove(directory_.path() / "again.csv");
  }
}

TEST_F(OldRun, IsFinishedIfItWas) {
  const ProgramResult result = run({"resume", "finished"});
  EXPECT_EQ(result.code, 0) << result;
  EXPECT_TRUE(contains(result.out + result.err, "is finished already")) << result;
  for (const char* file :
       {"run.json", "networks/main.h5", "networks/main.json", "posterior/posterior.h5",
        "posterior/summary.json", "checks.json", "rounds/round-01.json", "rounds/round-02.json"}) {
    EXPECT_TRUE(bytes(fs::path("finished") / file) == then(file)) << file;
  }
}

// Half of its first round is simulated, by a job array.
TEST_F(OldRun, GoesOnToTheResultThatItWouldHaveHad) {
  const ProgramResult result = run({"resume", "unfinished"});
  ASSERT_EQ(result.code, 0) << result;
  expect_the_bytes_of_then("unfinished");
}

TEST_F(OldRun, GoesOnFromItsRounds) {
  remove("finished/networks");
  remove("finished/posterior");
  const ProgramResult networks = run({"resume", "finished"});
  ASSERT_EQ(networks.code, 0) << networks;
  expect_the_bytes_of_then("finished");

  remove("finished/networks");
  remove("finished/posterior");
  remove("finished/rounds/round-02.json");
  remove("finished/rounds/round-02.h5");
  const ProgramResult round = run({"resume", "finished"});
  ASSERT_EQ(round.code, 0) << round;
  expect_the_bytes_of_then("finished");
}

TEST_F(OldRun, CanBeCheckedAndTrainedFurther) {
  const ProgramResult check = run({"check", "finished"});
  EXPECT_LE(check.code, 1) << check;
  EXPECT_TRUE(contains(check.out, "verdict: unclear")) << check;
  const ProgramResult train = run({"train", "finished", "--marginal", "1,2"});
  EXPECT_EQ(train.code, 0) << train;
  const ProgramResult sample = run({"sample", "finished", "--marginal", "1,2", "-n", "5"});
  EXPECT_EQ(sample.code, 0) << sample;
}

}  // namespace
}  // namespace hone
