// Runs that older versions left behind, one of every format of run.json before the present one
// (tests/run/data, its README says how they were made): they can be read, drawn from and gone on
// with, and the answers are those of the version that made them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

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

const fs::path kRuns = HONE_SOURCE_DIR "/tests/run/data";

// Sums are taken in the order of the machine's vector instructions. Another machine rounds
// differently, and has no bytes to compare.
bool rounds_as_in(const fs::path& run) {
  const std::string here =
      fmt::format("{} {} {} {} {}\n", to_string(supported_instruction_sets().back()),
                  has_libxsmm() ? "libxsmm" : "eigen", processor_field("vendor_id"),
                  processor_field("cpu family"), processor_field("model"));
  return here == bytes_of(run / "rounding.txt");
}

nlohmann::json json_of(const fs::path& file) {
  return nlohmann::json::parse(bytes_of(file));
}

// The parameter is the format.
class OldRun : public testing::TestWithParam<int> {
 protected:
  OldRun() { fs::copy(original(), directory_.path(), kWhole); }
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
  void expect_the_answer_of_then(const fs::path& run) {
    // A newer version says more in it, and warns in other words.
    const auto summary = json_of(directory_.path() / run / "posterior" / "summary.json");
    const auto old_summary = json_of(original() / "finished/posterior/summary.json");
    expect_equal_parameters(summary.at("parameters"), old_summary.at("parameters"));
    if (!rounds_as_in(original())) return;
    for (const char* file : {"networks/main.h5", "posterior/posterior.h5", "rounds/round-01.h5",
                             "rounds/round-02.h5"}) {
      EXPECT_TRUE(bytes(run / file) == then(file)) << run << " " << file;
    }
    EXPECT_EQ(summary.at("parameters"), old_summary.at("parameters"));
  }
  // Training multiplies what another order of sums changes in the last bits.
  static void expect_equal_parameters(const nlohmann::json& now, const nlohmann::json& then) {
    ASSERT_EQ(now.size(), then.size());
    for (std::size_t i = 0; i < now.size(); ++i) {
      const double deviation = then[i].at("standard_deviation");
      EXPECT_EQ(now[i].at("name"), then[i].at("name"));
      EXPECT_NEAR(now[i].at("mean"), then[i].at("mean"), 0.2 * deviation) << i;
      EXPECT_NEAR(now[i].at("standard_deviation"), deviation, 0.2 * deviation) << i;
    }
  }
  static fs::path original() { return kRuns / fmt::format("format-{}", GetParam()); }
  static std::string then(const std::string& file) {
    return bytes_of(original() / "finished" / file);
  }
  static int budget() {
    return json_of(original() / "finished/run.json").at("options").at("budget");
  }

  static constexpr auto kWhole = fs::copy_options::recursive | fs::copy_options::overwrite_existing;
  TemporaryDirectory directory_;
};

TEST_P(OldRun, IsShownAsItWas) {
  const ProgramResult finished = run({"show", "finished"});
  EXPECT_EQ(finished.code, 0) << finished;
  EXPECT_EQ(finished.out, bytes("show.txt"));
  const ProgramResult unfinished = run({"show", "unfinished"});
  EXPECT_EQ(unfinished.code, 0) << unfinished;
  EXPECT_TRUE(contains(unfinished.out, "not finished")) << unfinished;
  EXPECT_TRUE(contains(unfinished.out, fmt::format("100 of {} simulations", budget())))
      << unfinished;
}

// Those of a pair were trained with the run, those of all parameters later in format 1.
TEST_P(OldRun, GivesTheSamplesThatItGave) {
  for (const auto& [file, marginal] : {std::pair("pair.csv", "0,1"), {"joint.csv", "joint"}}) {
    if (!fs::exists(original() / file)) continue;
    const ProgramResult result =
        run({"sample", "finished", "--marginal", marginal, "-n", "40", "-o", "again.csv"});
    ASSERT_EQ(result.code, 0) << result;
    const std::string again = bytes("again.csv");
    EXPECT_EQ(std::ranges::count(again, '\n'), 41);
    if (rounds_as_in(original())) {
      EXPECT_EQ(again, bytes(file));
    }
    fs::remove(directory_.path() / "again.csv");
  }
}

TEST_P(OldRun, IsFinishedIfItWas) {
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
TEST_P(OldRun, GoesOnToTheResultThatItWouldHaveHad) {
  const ProgramResult result = run({"resume", "unfinished"});
  ASSERT_EQ(result.code, 0) << result;
  expect_the_answer_of_then("unfinished");
}

TEST_P(OldRun, GoesOnFromItsRounds) {
  remove("finished/networks");
  remove("finished/posterior");
  const ProgramResult networks = run({"resume", "finished"});
  ASSERT_EQ(networks.code, 0) << networks;
  expect_the_answer_of_then("finished");

  remove("finished/networks");
  remove("finished/posterior");
  remove("finished/rounds/round-02.json");
  remove("finished/rounds/round-02.h5");
  const ProgramResult round = run({"resume", "finished"});
  ASSERT_EQ(round.code, 0) << round;
  expect_the_answer_of_then("finished");
}

TEST_P(OldRun, CanBeCheckedAndTrainedFurther) {
  const ProgramResult check = run({"check", "finished"});
  EXPECT_LE(check.code, 1) << check;
  EXPECT_TRUE(contains(check.out, "verdict: ")) << check;
  const ProgramResult train = run({"train", "finished", "--marginal", "1,2"});
  EXPECT_EQ(train.code, 0) << train;
  const ProgramResult sample = run({"sample", "finished", "--marginal", "1,2", "-n", "5"});
  EXPECT_EQ(sample.code, 0) << sample;
}

// That there is one of every format is tested with the format itself.
std::vector<int> formats() {
  std::vector<int> found;
  for (const auto& entry : fs::directory_iterator(kRuns)) {
    if (!entry.is_directory()) continue;
    found.push_back(json_of(entry.path() / "finished/run.json").at("format"));
  }
  std::ranges::sort(found);
  return found;
}

INSTANTIATE_TEST_SUITE_P(Format, OldRun, testing::ValuesIn(formats()),
                         [](const auto& format) { return fmt::format("{}", format.param); });

}  // namespace
}  // namespace hone
