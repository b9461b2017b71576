// A run by a job array without a batch system: `hone ask --chunks`, `hone simulate`, `hone tell`.
#include <chrono>
#include <csignal>
#include <thread>

#include <nlohmann/json.hpp>

#include "cli/problem_text.h"
#include "cli/program.h"
#include "cli/same_run.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// A worker that says in a file that it has begun, and never answers while another file is there.
const char* const kScript =
    "echo > begun\n[ -e hang ] && exec sleep 1000\n"
    "exec '" HONE_TEST_SIMULATOR "' good\n";
const ProblemText kWorker{
    .simulator = "command = ['sh', 'worker.sh']\nworkers = 2",
    .observed = "[0.3, 0.6]",
    .prior_a = kNormalPrior,
    .prior_b = kNormalPrior,
    .inference = std::string("budget = 1500\nmax_epochs = 10\ndepth = 1\n") + kQuickNetworks};

class JobArray : public testing::Test {
 protected:
  ProgramResult hone(const Arguments& arguments) { return run_program(scratch_.path(), arguments); }
  std::string out_of(const Arguments& arguments) {
    const ProgramResult result = hone(arguments);
    EXPECT_EQ(result.code, 0) << result;
    return result.out;
  }
  Json json_of(const Arguments& arguments) {
    return Json::parse(out_of(arguments + Arguments{"--json"}));
  }

  // Runs a chunk and kills it in the middle, as far as there is one: a worker never gets to the
  // end, the built-in task is too quick to wait for.
  void start_and_kill(const std::string& chunk) {
    const fs::path begun = scratch_.path() / "begun", hang = scratch_.path() / "hang";
    const bool worker = fs::exists(scratch_.path() / "worker.sh");
    put_bytes(hang, "");
    fs::remove(begun);
    RunningProgram program(scratch_.path(), {"simulate", chunk});
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(worker ? 60000 : 5);
    while (!fs::exists(begun) && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    program.send(SIGKILL);
    EXPECT_TRUE(program.wait().signal == SIGKILL || !worker);
    fs::remove(hang);
  }

  // The chunks of a round in reverse order; one is killed and run again, one is run twice, one
  // twice at the same time; some results are taken in early.
  void run_round(const Json& asked) {
    std::vector<std::string> files;
    for (const Json& chunk : asked["chunks"]) files.push_back(chunk["file"]);
    std::ranges::reverse(files);
    start_and_kill(files[0]);
    for (std::size_t i = 0; i < files.size(); ++i) {
      out_of({"simulate", files[i]});
      if (i == 1) {
        EXPECT_TRUE(contains(out_of({"simulate", files[i]}), "was there already"));
      }
      if (i == 2) {
        fs::remove(asked["directory"].get<std::string>() + "/result-00000.h5");
        RunningProgram one(scratch_.path(), {"simulate", files.back()});
        RunningProgram other(scratch_.path(), {"simulate", files.back()});
        EXPECT_EQ(one.wait().code, 0);
        EXPECT_EQ(other.wait().code, 0);
        const Json told = json_of({"tell", "array"});
        EXPECT_GT(told["stored"], 0);
        EXPECT_GT(told["waiting"], 0);
        EXPECT_EQ(told["refused"].size(), 0U);
      }
    }
    const Json told = json_of({"tell", "array"});
    EXPECT_EQ(told["waiting"], 0);
    EXPECT_EQ(json_of({"tell", "array"})["stored"], 0);
  }

  void expect_same_as_serial(Arguments command) {
    command[3] = "serial";
    out_of(command);
    command[3] = "array";
    out_of(command + Arguments{"--prepare"});
    int rounds = 0;
    for (Json asked; rounds < 20; ++rounds) {
      asked = json_of({"ask", "array", "--chunks", "6"});
      if (asked["finished"]) break;
      run_round(asked);
    }
    EXPECT_GE(rounds, 2);
    out_of({"resume", "array"});
    expect_same_run(scratch_.path() / "array", scratch_.path() / "serial");
  }

  TemporaryDirectory scratch_;
};

TEST_F(JobArray, OfABuiltInTaskGivesTheBitsOfASerialRun) {
  expect_same_as_serial(small_run("serial"));
}

TEST_F(JobArray, OfAnExternalWorkerGivesTheBitsOfASerialRun) {
  put_bytes(scratch_.path() / "problem.toml", to_toml(kWorker));
  put_bytes(scratch_.path() / "worker.sh", kScript);
  expect_same_as_serial({"run", "problem.toml", "-o", "serial"});
}

TEST_F(JobArray, SaysWhatToDoNext) {
  EXPECT_TRUE(
      contains(out_of(small_run("array") + Arguments{"--prepare"}), "hone ask array --chunks 100"));
  const std::string asked = out_of({"ask", "array", "--chunks", "4"});
  EXPECT_TRUE(contains(asked,
                       "sbatch --array=0-3 --wrap 'hone simulate array/chunks/round-01 "
                       "--number $SLURM_ARRAY_TASK_ID'"))
      << asked;
  out_of({"simulate", "array/chunks/round-01", "--number", "1"});
  const Json facts = json_of({"ask", "array", "--chunks", "4"});
  EXPECT_EQ(facts["array"], "0,2-3");
  EXPECT_EQ(facts["round"], 1);
  EXPECT_EQ(facts["chunks"].size(), 3U);
  EXPECT_TRUE(contains(out_of({"tell", "array"}), "this round waits for"));
}

TEST_F(JobArray, RefusesWrongUse) {
  out_of(small_run("array") + Arguments{"--prepare"});
  expect_refused(hone({"ask", "array", "--json"}), 2, {"--json requires --chunks"});
  expect_refused(hone({"ask", "array", "--chunks", "0"}), 2, {"--chunks"});
  expect_refused(hone({"ask", "array", "--chunks", "5", "-n", "3"}), 2, {"excludes"});
  out_of({"ask", "array", "--chunks", "4"});
  expect_refused(hone({"simulate", "array/chunks/round-01"}), 2,
                 {"directory of chunks with --number"});
  expect_refused(hone({"simulate", "array/chunks/round-01", "--number", "4"}), 2,
                 {"chunk-00004.h5: there is no such chunk"});
  expect_refused(hone({"simulate", "array/chunks/round-00", "--number", "0"}), 2,
                 {"there is no such chunk; those of a round that is over are removed"});
  expect_refused(hone({"simulate", "array/run.json"}), 1, {"array/run.json"});
  expect_refused(hone({"tell", "array", "array/chunks/round-01/chunk-00000.h5"}), 2,
                 {"chunk-00000.h5"});
}

// As if its work were done already, it would never be.
TEST_F(JobArray, RefusesAChunkInThePlaceOfAnother) {
  out_of(small_run("array") + Arguments{"--prepare"});
  out_of({"ask", "array", "--chunks", "3"});
  const fs::path chunks = scratch_.path() / "array/chunks/round-01";
  out_of({"simulate", "array/chunks/round-01", "--number", "0"});
  fs::copy_file(chunks / "chunk-00000.h5", chunks / "chunk-00002.h5",
                fs::copy_options::overwrite_existing);
  expect_refused(hone({"simulate", "array/chunks/round-01", "--number", "2"}), 1,
                 {"array/chunks/round-01/chunk-00002.h5: it is a copy of chunk 0"});
  out_of({"simulate", "array/chunks/round-01", "--number", "1"});
}

}  // namespace
}  // namespace hone
