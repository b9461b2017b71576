#include <random>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/same_run.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class DamagedRun : public testing::Test {
 protected:
  void SetUp() override {
    make_small_run(scratch.path(), "good");
    restore();
  }
  void restore() {
    fs::remove_all(run());
    fs::copy(scratch.path() / "good", run(), fs::copy_options::recursive);
  }
  fs::path run() const { return scratch.path() / "run"; }
  ProgramResult hone(const Arguments& arguments) {
    return run_program(scratch.path(), arguments, 30);
  }
  void expect_named(const Arguments& command, const std::string& file) {
    expect_refused(hone(command), 1, {"run/" + file});
  }
  TemporaryDirectory scratch;
};

const Arguments kShow{"show", "run"}, kResume{"resume", "run"},
    kSample{"sample", "run", "--marginal", "0", "-n", "3"};

// A file, and the commands that read it once the posterior is gone.
struct Part {
  std::string file;
  std::vector<Arguments> commands;
};

const std::vector<Part> kParts{{"run.json", {kShow, kResume, kSample}},
                               {"rounds/round-01.json", {kShow, kResume}},
                               {"networks/main.json", {kShow, kResume, kSample}},
                               {"networks/main.h5", {kResume, kSample}},
                               {"simulations/manifest.json", {kShow, kResume}},
                               {"simulations/shard-000001.h5", {kShow, kResume}}};

TEST_F(DamagedRun, RubbishAndCutFilesAreNamed) {
  for (const Part& part : kParts) {
    for (const bool cut : {true, false}) {
      restore();
      fs::remove_all(run() / "posterior");
      const std::string bytes = bytes_of(run() / part.file);
      put_bytes(run() / part.file, cut ? bytes.substr(0, bytes.size() / 2) : "rubbish\n\xff");
      for (const Arguments& command : part.commands) expect_named(command, part.file);
    }
  }
  restore();
  put_bytes(run() / "posterior" / "summary.json", "{}");
  expect_named(kShow, "posterior/summary.json");
}

// The parts after it are gone, so that resuming has to read the file.
TEST_F(DamagedRun, FlippedBytesOfTheBinaryFilesAreFound) {
  fs::remove_all(run() / "posterior");
  std::mt19937_64 random(test_seed(7));
  for (const char* file : {"networks/main.h5", "simulations/shard-000001.h5"}) {
    if (file[0] == 's') {
      fs::remove_all(run() / "networks");
      fs::remove_all(run() / "rounds");
    }
    const std::string good = bytes_of(run() / file);
    for (int i = 0; i < 10; ++i) {
      std::string bytes = good;
      const std::size_t at = random() % bytes.size();
      bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
      put_bytes(run() / file, bytes);
      SCOPED_TRACE(std::string(file) + ", byte " + std::to_string(at));
      expect_named(kResume, file);
    }
    put_bytes(run() / file, good);
  }
}

// Well-formed JSON that makes no sense.
TEST_F(DamagedRun, WrongValuesInJsonFilesAreNamed) {
  const auto edit = [&](const std::string& file, const char* pointer, const Json& value) {
    restore();
    fs::remove_all(run() / "posterior");
    Json json = Json::parse(bytes_of(run() / file));
    json[Json::json_pointer(pointer)] = value;
    put_bytes(run() / file, json.dump());
    SCOPED_TRACE(file + pointer + " = " + value.dump());
    expect_named(kResume, file);
    if (file != "networks/main.json") expect_named(kShow, file);
  };
  edit("run.json", "/format", 99);
  edit("run.json", "/seed", "one");
  edit("run.json", "/parameters", Json::array());
  edit("run.json", "/parameters/0/prior/kind", "unifrom");
  edit("run.json", "/marginals/0", Json{5});
  edit("run.json", "/marginals/0", Json::array());
  edit("run.json", "/options/budget", -5);
  edit("run.json", "/options/epsilon", 3);
  edit("run.json", "/options/colour", "red");
  edit("rounds/round-01.json", "/number", 2);
  edit("rounds/round-01.json", "/region/axes", Json::array());
  edit("rounds/round-02.json", "/cut/region/axes/0/0/low", 7);
  edit("rounds/round-02.json", "/cut/lost_mass", Json::array());
  edit("rounds/round-02.json", "/cut/axis_ratio", Json{1.0});
  edit("networks/main.json", "/region/axes", Json::array({Json::array()}));
  edit("networks/main.json", "/training", 3);
}

TEST_F(DamagedRun, AProblemThatDoesNotFitItsTaskIsRefused) {
  const Json good = Json::parse(bytes_of(run() / "run.json"));
  for (const auto& [field, value] : {std::pair<const char*, Json>{"observation", {1.0, 2.0}},
                                     {"simulator", {{"kind", "task"}, {"task", "eggbox"}}},
                                     {"simulator", {{"kind", "task"}, {"task", "unknown"}}},
                                     {"simulator", {{"kind", "oracle"}}}}) {
    Json json = good;
    json[field] = value;
    put_bytes(run() / "run.json", json.dump());
    expect_named(kResume, "run.json");
  }
}

TEST_F(DamagedRun, PartsMovedAwayAreComputedAgainWithTheSameBits) {
  fs::path last_round;
  for (const auto& file : fs::directory_iterator(run() / "rounds")) {
    if (file.path().extension() == ".json") last_round = std::max(last_round, file.path());
  }
  ASSERT_NE(last_round.filename(), "round-01.json");
  const std::vector<fs::path> parts{"simulations/shard-000001.h5",
                                    "rounds/round-01.json",
                                    "rounds" / last_round.filename(),
                                    "networks/main.h5",
                                    "networks/main.json",
                                    "posterior"};
  for (const fs::path& part : parts) {
    restore();
    fs::remove_all(run() / part);
    const ProgramResult result = hone(kResume);
    EXPECT_EQ(result.code, 0) << part << ": " << result;
    expect_same_run(run(), scratch.path() / "good");
  }
}

}  // namespace
}  // namespace hone
