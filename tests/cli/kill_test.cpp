#include <chrono>
#include <csignal>
#include <random>
#include <set>
#include <thread>

#include "cli/program.h"
#include "cli/same_run.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// What a killed run was doing, from what it left.
std::string phase(const fs::path& run) {
  if (!fs::exists(run / "run.json")) return "creating";
  if (fs::exists(run / "posterior" / "summary.json")) return "finished";
  if (fs::exists(run / "networks" / "main.h5")) return "posterior";
  if (fs::exists(run / "networks")) return "writing networks";
  if (!fs::exists(run / "rounds")) return shards_of(run).empty() ? "first simulations" : "round 1";
  return "later rounds";
}

class Kill : public testing::Test {
 protected:
  void SetUp() override {
    const auto start = std::chrono::steady_clock::now();
    const ProgramResult result = run_program(scratch.path(), arguments("undisturbed"));
    ASSERT_EQ(result.code, 0) << result;
    duration = seconds_since(start);
  }

  // More simulations than the small run, so that each phase takes its time.
  static Arguments arguments(const std::string& output) {
    return small_run(output, {.budget = 6000});
  }

  // Starts the command, and kills it once `now` says so. False if it ended before.
  template <typename Predicate>
  bool kill_when(const Arguments& command, Predicate&& now) {
    const auto start = std::chrono::steady_clock::now();
    RunningProgram program(scratch.path(), command);
    while (program.running() && !now(seconds_since(start))) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    const bool alive = program.running();
    program.send(SIGKILL);
    program.wait();
    return alive;
  }

  // To the end. Shards that were there before are there after, unchanged.
  void finish(const std::string& name) {
    const fs::path run = scratch.path() / name;
    if (!fs::exists(run / "run.json")) {  // killed before the run was there at all
      const ProgramResult result = run_program(scratch.path(), arguments(name));
      EXPECT_EQ(result.code, 0) << result;
    } else {
      const auto before = shards_of(run);
      const ProgramResult result = run_program(scratch.path(), {"resume", name});
      EXPECT_EQ(result.code, 0) << result;
      auto after = shards_of(run);
      for (const auto& [file, bytes] : before) {
        EXPECT_TRUE(after[file] == bytes) << file << " was written again";
      }
    }
    expect_same_run(run, scratch.path() / "undisturbed");
    fs::remove_all(run);
  }

  TemporaryDirectory scratch;
  double duration = 0;
};

TEST_F(Kill, AtTwentyRandomMomentsARunResumesToTheSameBits) {
  const unsigned long seed = test_seed(std::random_device{}());
  SCOPED_TRACE("HONE_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::set<std::string> phases;
  for (int i = 0; i < 20; ++i) {
    const double moment = duration * (i + uniform(random)) / 20;
    SCOPED_TRACE("killed after " + std::to_string(moment) + " s");
    kill_when(arguments("killed"), [&](double seconds) { return seconds > moment; });
    phases.insert(phase(scratch.path() / "killed"));
    if (i % 3 == 0 && fs::exists(scratch.path() / "killed" / "run.json")) {  // and once more
      const double later = duration * uniform(random) / 2;
      kill_when({"resume", "killed"}, [&](double seconds) { return seconds > later; });
    }
    finish("killed");
    if (HasFailure()) return;
  }
  EXPECT_GE(phases.size(), 3U) << "the moments hit few of the phases";
}

// The phases that random moments may miss.
TEST_F(Kill, InEveryPhaseARunResumesToTheSameBits) {
  const fs::path run = scratch.path() / "killed";
  const std::vector<std::pair<std::string, fs::path>> moments{
      {"before the problem is written", run},
      {"before the store", run / "run.json"},
      {"in simulation", run / "simulations" / "manifest.json"},
      {"while a shard is written", run / "simulations" / "shard-000001.h5.tmp"},
      {"in training", run / "simulations" / "shard-000001.h5"},
      {"while a round is written", run / "rounds"},
      {"after a round", run / "rounds" / "round-01.json"},
      {"in the final simulations", run / "rounds" / "round-02.json"},
      {"while networks are written", run / "networks"},
      {"between the network files", run / "networks" / "main.json"},
      {"before the posterior", run / "networks" / "main.h5"},
      {"while the posterior is written", run / "posterior"},
      {"before the summary", run / "posterior" / "posterior.h5"}};
  std::set<std::string> phases;
  for (const auto& [name, file] : moments) {
    SCOPED_TRACE(name);
    kill_when(arguments("killed"), [&, &there = file](double) { return fs::exists(there); });
    phases.insert(phase(run));
    finish("killed");
    if (HasFailure()) return;
  }
  EXPECT_GE(phases.size(), 5U);
}

// Simulations take the time here: the kill hits between shards and while one is written.
TEST_F(Kill, InTheMiddleOfManySimulationsNoneIsLost) {
  const Arguments many{"run",        "torus", "-o",           "many",  "--budget",     "150000",
                       "--method",   "mnre",  "--hidden",     "4",     "--network",    "mlp",
                       "--depth",    "1",     "--batch-size", "16384", "--max-epochs", "1",
                       "--ensemble", "1",     "--marginal",   "0"};
  const fs::path run = scratch.path() / "many";
  kill_when(many, [&](double) { return fs::exists(run / "simulations" / "shard-000001.h5"); });
  const auto before = shards_of(run);
  ASSERT_GE(before.size(), 1U);
  EXPECT_FALSE(fs::exists(run / "networks"));
  const ProgramResult result = run_program(scratch.path(), {"resume", "many"});
  EXPECT_EQ(result.code, 0) << result;
  auto after = shards_of(run);
  for (const auto& [file, bytes] : before) EXPECT_TRUE(after[file] == bytes) << file;
  Arguments again = many;
  again[3] = "again";
  EXPECT_EQ(run_program(scratch.path(), again).code, 0);
  expect_same_run(run, scratch.path() / "again");
}

}  // namespace
}  // namespace hone
