// What progress has counted is on disk: kill -9 does not make the simulator do it again.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <sstream>
#include <thread>

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// 20 ms each; notes every simulation that it begins.
constexpr const char* kSimulator = R"(
import json, os, sys, time
for line in sys.stdin:
    r = json.loads(line)
    with open("begun", "a") as begun: begun.write("%d\n" % r["id"])
    time.sleep(0.02)
    print(json.dumps({"id": r["id"], "x": [r["theta"][0]]}), flush=True)
)";
constexpr const char* kProblem = R"(
name = "slow"
[simulator]
command = ["/usr/bin/python3", "simulate.py"]
workers = 1
[observation]
values = [0.5]
[[parameters]]
name = "a"
prior = { kind = "uniform", low = 0, high = 1 }
[inference]
budget = 200
max_epochs = 3
round_fraction = 1
max_rounds = 1
)";

std::map<int, int> begun(const fs::path& directory) {
  std::map<int, int> times;
  std::istringstream lines(bytes_of(directory / "begun"));
  for (int id = 0; lines >> id;) ++times[id];
  return times;
}

int counted(const fs::path& run) {
  const auto json = nlohmann::json::parse(bytes_of(run / "progress.json"), nullptr, false);
  return json.is_object() && json.value("stage", "") == "simulate" ? json.value("done", 0) : 0;
}

TEST(Durable, SimulationsThatWereCountedAreNotRunAgainAfterAKill) {
  const TemporaryDirectory scratch;
  put_bytes(scratch.path() / "simulate.py", kSimulator);
  put_bytes(scratch.path() / "problem.toml", kProblem);
  Arguments command{"run", "problem.toml", "-o", "run"};
  int safe = 0;
  for (int kills = 0; kills < 4; ++kills) {
    RunningProgram program(scratch.path(), command);
    int done = 0;
    while (program.running() && done < 15) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      done = counted(scratch.path() / "run");
    }
    program.send(SIGKILL);
    program.wait();
    safe += done;
    fs::remove(scratch.path() / "run" / "progress.json");
    command = {"resume", "run"};
  }
  EXPECT_GE(safe, 4 * 15);
  const ProgramResult result = run_program(scratch.path(), command);
  ASSERT_EQ(result.code, 0) << result;
  int again = 0;
  for (const auto& [id, times] : begun(scratch.path())) again += times - 1;
  // At every kill the simulation at work is lost, and what had answered a moment ago.
  EXPECT_LE(again, 4 * 4) << "simulations that were run twice; " << safe << " had been counted";
}

}  // namespace
}  // namespace hone
