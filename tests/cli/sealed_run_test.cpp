// No file is taken for what it is not: a changed one, one of another run, one from another place.
#include <regex>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/same_run.h"
#include "files/forgery.h"
#include "hone/engine/kernels.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Two runs that differ in their seed alone, and a copy of the first to be mistreated.
class SealedRun : public testing::Test {
 protected:
  void SetUp() override {
    make_small_run(scratch.path(), "good");
    const ProgramResult other =
        run_program(scratch.path(), small_run("other") + Arguments{"--seed", "5"});
    ASSERT_EQ(other.code, 0) << other;
    restore();
  }
  void restore() {
    fs::remove_all(run());
    fs::copy(scratch.path() / "good", run(), fs::copy_options::recursive);
  }
  fs::path run() const { return scratch.path() / "run"; }
  fs::path other() const { return scratch.path() / "other"; }
  ProgramResult hone(const Arguments& arguments, const Arguments& launcher = {}) {
    RunningProgram program(scratch.path(), arguments, RunningProgram::Output::files, 80, launcher);
    return program.wait(60);
  }
  // Every command that reads the file names it; no command answers otherwise than before.
  void expect_named(const std::string& file) {
    bool named = false;
    for (const auto& [command, answer] : answers()) {
      const ProgramResult result = hone(command);
      if (contains(result.err, "run/" + file)) {
        EXPECT_EQ(result.code, 1) << file << "\n" << result;
        named = true;
      } else {
        EXPECT_EQ(result.out, answer) << file << " " << command.front();
      }
    }
    EXPECT_TRUE(named) << file;
  }
  const std::map<Arguments, std::string>& answers() {
    if (answers_.empty()) {
      for (const Arguments& command :
           {Arguments{"show", "run"}, Arguments{"sample", "run", "--marginal", "0", "-n", "5"},
            Arguments{"check", "run", "--json"}, Arguments{"resume", "run"}}) {
        const ProgramResult result = hone(command);
        EXPECT_LE(result.code, 1) << result;
        answers_[command] = result.out;
      }
    }
    return answers_;
  }
  TemporaryDirectory scratch;
  std::map<Arguments, std::string> answers_;
};

const std::vector<std::string> kJson{"run.json",           "rounds/round-01.json",
                                     "networks/main.json", "posterior/summary.json",
                                     "checks.json",        "simulations/manifest.json"};
const std::vector<std::string> kArrays{"rounds/round-01.h5", "networks/main.h5",
                                       "posterior/posterior.h5", "simulations/shard-000001.h5"};

TEST_F(SealedRun, ANumberThatWasChangedIsNoticed) {
  answers();
  for (const std::string& file : kJson) {
    restore();
    const std::string text = bytes_of(run() / file);
    std::smatch digit;
    ASSERT_TRUE(std::regex_search(text, digit, std::regex("[0-8](?=[,\n])"))) << file;
    std::string changed = text;
    changed[static_cast<std::size_t>(digit.position())] += 1;
    put_bytes(run() / file, changed);
    expect_named(file);
  }
}

TEST_F(SealedRun, AFileOfAnotherRunIsRefused) {
  answers();
  for (const auto& files : {kJson, kArrays}) {
    for (const std::string& file : files) {
      if (file == "run.json") continue;  // then all other files belong elsewhere: tested below
      restore();
      fs::copy_file(other() / file, run() / file, fs::copy_options::overwrite_existing);
      // Read when the checks are made, which are there already: the test below.
      if (!file.ends_with("round-01.h5")) expect_named(file);
    }
  }
  restore();
  fs::copy_file(other() / "run.json", run() / "run.json", fs::copy_options::overwrite_existing);
  const ProgramResult sample = hone({"sample", "run", "--marginal", "0", "-n", "5"});
  EXPECT_EQ(sample.code, 1) << sample;
  EXPECT_TRUE(contains(sample.err, "belongs to another run")) << sample;
}

TEST_F(SealedRun, NetworksOfARoundOfAnotherRunAreRefusedByTheChecks) {
  const fs::path networks = "rounds/round-01.h5";
  const Arguments check{"check", "run"};
  fs::remove(run() / "checks.json");
  const ProgramResult own = hone(check);
  EXPECT_TRUE(contains(own.out, "verdict")) << own;
  fs::remove(run() / "checks.json");
  fs::copy_file(other() / networks, run() / networks, fs::copy_options::overwrite_existing);
  expect_refused(hone(check), 1, {"run/rounds/round-01.h5", "belongs to another run"});
}

TEST_F(SealedRun, AFileFromAnotherPlaceOfTheRunIsRefused) {
  answers();
  fs::copy_file(run() / "rounds/round-02.json", run() / "rounds/round-01.json",
                fs::copy_options::overwrite_existing);
  expect_named("rounds/round-01.json");
  EXPECT_TRUE(contains(hone({"show", "run"}).err, "it is a copy of rounds/round-02.json"));
}

TEST_F(SealedRun, ARoundThatHasGoneIsMissed) {
  fs::remove(run() / "rounds/round-02.json");
  EXPECT_TRUE(contains(hone({"show", "run"}).err, "round-02.json"));
  for (const char* file : {"rounds/round-02.json", "rounds/round-02.h5"}) {
    restore();
    fs::remove(run() / file);
    EXPECT_TRUE(contains(hone({"check", "run"}).err, "have gone")) << file;
    EXPECT_EQ(hone({"resume", "run"}).code, 0);
    expect_same_run(run(), scratch.path() / "good");
  }
}

TEST_F(SealedRun, AnUnfinishedRunWithOtherOptionsIsNotResumed) {
  for (const char* change : {"\"seed\": 1", "\"max_epochs\": 15", "\"high\": 1.0"}) {
    restore();
    fs::remove_all(run() / "networks");
    fs::remove_all(run() / "posterior");
    std::string text = bytes_of(run() / "run.json");
    const std::string part = change;
    ASSERT_TRUE(contains(text, part)) << part;
    text.replace(text.find(part), part.size(), part.substr(0, part.find(':')) + ": 2");
    put_bytes(run() / "run.json", text);
    const ProgramResult result = hone({"resume", "run"});
    expect_refused(result, 1, {"run/run.json", "changed since hone wrote it", "hone run --from"});
  }
}

TEST_F(SealedRun, AVariantTakesTheSimulationsThatBothMake) {
  const ProgramResult result = hone(
      {"run", "--from", "good", "-o", "variant", "--weight-decay", "0.001", "--max-rounds", "1"});
  ASSERT_EQ(result.code, 0) << result;
  EXPECT_TRUE(contains(result.out + result.err, "are those of the earlier run")) << result;
  const ProgramResult fresh =
      hone(small_run("fresh") + Arguments{"--weight-decay", "0.001", "--max-rounds", "1"});
  ASSERT_EQ(fresh.code, 0) << fresh;
  for (const char* file : {"posterior/posterior.h5", "networks/main.h5"}) {
    EXPECT_TRUE(content_of(scratch.path() / "variant" / file) ==
                content_of(scratch.path() / "fresh" / file))
        << file;
  }
  expect_refused(hone({"run", "--from", "nowhere", "-o", "x"}), 2, {"nowhere", "not a run"});
  expect_refused(hone({"run", "torus", "--from", "good"}), 2, {"--from"});
}

TEST_F(SealedRun, OneOfSeveralProcessesMakesARun) {
  constexpr int kProcesses = 8;
  std::vector<std::unique_ptr<RunningProgram>> programs;
  for (int seed = 1; seed <= kProcesses; ++seed) {
    programs.push_back(std::make_unique<RunningProgram>(
        scratch.path(), small_run("same") + Arguments{"--seed", std::to_string(seed)}));
  }
  int winner = 0;
  for (int seed = 1; seed <= kProcesses; ++seed) {
    const ProgramResult result = programs[static_cast<std::size_t>(seed - 1)]->wait();
    if (result.code == 0) {
      EXPECT_EQ(winner, 0) << "two processes made the run";
      winner = seed;
    } else {
      EXPECT_TRUE(contains(result.err, "same")) << result;
    }
  }
  ASSERT_NE(winner, 0);
  EXPECT_EQ(Json::parse(bytes_of(scratch.path() / "same" / "run.json")).at("seed"), winner);
  EXPECT_EQ(hone({"sample", "same", "--marginal", "0", "-n", "5"}).code, 0);
}

TEST_F(SealedRun, GoesOnWithOtherInstructionsOnlyWithAWord) {
  if (supported_instruction_sets().size() == 1) GTEST_SKIP() << "this machine has one kind";
  const Arguments elsewhere{"env", "HONE_INSTRUCTION_SET=baseline"};
  fs::remove_all(run() / "networks");
  fs::remove_all(run() / "posterior");
  fs::remove(run() / "checks.json");
  const ProgramResult refused = hone({"resume", "run", "--exact"}, elsewhere);
  expect_refused(refused, 2, {"computed with", "this process has baseline kernels"});
  fs::rename(run() / "computed_with.json", scratch.path() / "record");
  expect_refused(hone({"resume", "run", "--exact"}), 2, {"does not say what its parts"});
  fs::rename(scratch.path() / "record", run() / "computed_with.json");
  const ProgramResult warned = hone({"resume", "run"}, elsewhere);
  EXPECT_EQ(warned.code, 0) << warned;
  EXPECT_TRUE(contains(warned.err, "not identical bit for bit")) << warned;
  const Json record = Json::parse(bytes_of(run() / "computed_with.json"));
  EXPECT_EQ(record.at("computed_with").size(), 2U);
  EXPECT_EQ(record.at("computed_with")[1].at("kernels"), "baseline");
  expect_refused(hone(small_run("new"), {"env", "HONE_INSTRUCTION_SET=mmx"}), 2,
                 {"HONE_INSTRUCTION_SET = mmx", "baseline"});
}

TEST_F(SealedRun, OfAnOlderVersionSaysThatItCannotBeVerified) {
  fs::copy(HONE_SOURCE_DIR "/tests/run/data/format-1/finished", scratch.path() / "old",
           fs::copy_options::recursive);
  const ProgramResult old = hone({"show", "old"});
  EXPECT_EQ(old.code, 0) << old;
  EXPECT_TRUE(contains(old.err, "cannot be verified")) << old;
  EXPECT_EQ(hone({"show", "run"}).err, "");
}

}  // namespace
}  // namespace hone
