// `mpirun -n N hone run`: the same files as without, on any number of ranks, whatever dies.
#include <chrono>
#include <csignal>
#include <thread>

#include "cli/problem_text.h"
#include "cli/same_run.h"
#include "mpi/mpirun.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// `hone run torus` with 12 networks in the end.
Arguments torus_run(const std::string& output, int epochs = 6) {
  return small_run(output, {.max_epochs = epochs, .ensemble = 2});
}

const Arguments kEmbedding{"--embedding",          "mlp", "--embedding-hidden", "[8]",
                           "--embedding-features", "3"};

// x = theta, by a program that stays, and takes its time if a test wants to disturb it.
const ProblemText kProblem{
    .simulator = "command = ['/usr/bin/python3', '-u', 'slow.py']\ntimeout = 5\nworkers = 1",
    .sections = "[noise]\nkind = 'gaussian'\nsigma = [0.1, 0.2]\n",
    .inference = std::string("budget = 900\nround_minimum = 300\nmax_epochs = 4\n"
                             "marginals = '1d'\n") +
                 kQuickNetworks};
constexpr const char* kSlow = R"(import json, os, sys, time
seconds = float(os.environ.get("HONE_TEST_SLEEP", 0))
for line in sys.stdin:
    job = json.loads(line)
    time.sleep(seconds)
    if job["seed"] % 29 == 0:
        print(json.dumps({"id": job["id"], "error": "no luck"}))
    else:
        print(json.dumps({"id": job["id"], "x": job["theta"]}))
)";

class Ranks : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_mpirun()) GTEST_SKIP() << "hone was built without MPI";
    put_bytes(path("problem.toml"), to_toml(kProblem));
    put_bytes(path("slow.py"), kSlow);
  }
  fs::path path(const std::string& name) const { return scratch_.path() / name; }

  void make_serial(const Arguments& arguments) {
    const ProgramResult result = run_program(scratch_.path(), arguments);
    ASSERT_EQ(result.code, 0) << result;
  }
  void expect_same_on(int ranks, const Arguments& arguments, const std::string& name,
                      const std::string& serial) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    const ProgramResult result = run_job(scratch_.path(), ranks, arguments);
    ASSERT_EQ(result.code, 0) << result;
    expect_same_run(path(name), path(serial));
  }

  // Runs on some ranks until `file` is there and `seconds` have passed, then does `what`.
  template <typename What>
  ProgramResult disturb(int ranks, const Arguments& arguments, const fs::path& file, double seconds,
                        What&& what) {
    ::setenv("HONE_TEST_SLEEP", "0.01", 1);
    MpiJob job(scratch_.path(), ranks, arguments);
    ::unsetenv("HONE_TEST_SLEEP");
    while (job.mpirun().running() && !fs::exists(file)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    if (job.mpirun().running()) what(job);  // else it was quicker than we are
    return job.wait();
  }

  void expect_resumed_as(const std::string& name, int ranks, const std::string& serial) {
    const auto before = shards_of(path(name));
    expect_same_on(ranks, {"resume", name}, name, serial);
    auto after = shards_of(path(name));
    for (const auto& [file, bytes] : before) {
      EXPECT_TRUE(after[file] == bytes) << file << " was written again";
    }
  }

  TemporaryDirectory scratch_;
};

Arguments problem_run(const std::string& output) {
  return {"run", "problem.toml", "-o", output};
}

TEST_F(Ranks, GiveTheFilesOfTheSerialRun) {
  make_serial(torus_run("serial"));
  for (const int ranks : {1, 2, 3, 4}) {
    const std::string name = "ranks-" + std::to_string(ranks);
    expect_same_on(ranks, torus_run(name), name, "serial");
  }
}

TEST_F(Ranks, GiveTheFilesOfTheSerialRunWithASharedEmbedding) {
  make_serial(torus_run("serial") + kEmbedding);
  for (const int ranks : {1, 2, 3, 4}) {
    const std::string name = "ranks-" + std::to_string(ranks);
    expect_same_on(ranks, torus_run(name) + kEmbedding, name, "serial");
  }
}

// The data of slcp are a set of points.
TEST_F(Ranks, GiveTheFilesOfTheSerialRunWithAnEncoder) {
  const auto set_run = [](const std::string& output) {
    Arguments arguments = torus_run(output);
    arguments[1] = "slcp";
    return arguments;
  };
  make_serial(set_run("serial"));
  for (const int ranks : {2, 3}) {
    const std::string name = "ranks-" + std::to_string(ranks);
    expect_same_on(ranks, set_run(name), name, "serial");
  }
}

TEST_F(Ranks, OtherThan0PrintNothing) {
  const ProgramResult result = run_job(scratch_.path(), 3, small_run("run"));
  ASSERT_EQ(result.code, 0) << result;
  const auto count = [&](const std::string& text, const std::string& part) {
    int found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count(result.out, "results: run"), 1) << result;
  EXPECT_EQ(count(result.err, "writing to run"), 1) << result;
  const ProgramResult wrong = run_job(scratch_.path(), 2, {"run", "toros"});
  EXPECT_EQ(wrong.code, 2) << wrong;
  EXPECT_EQ(count(wrong.err, "did you mean 'torus'"), 1) << wrong;
}

TEST_F(Ranks, EachWithItsOwnProgramGiveTheFilesOfTheSerialRun) {
  make_serial(problem_run("serial"));
  expect_same_on(3, problem_run("ranks"), "ranks", "serial");
}

TEST_F(Ranks, TrainMoreAndCheckAsOneProcessDoes) {
  make_serial(torus_run("serial"));
  fs::copy(path("serial"), path("ranks"), fs::copy_options::recursive);
  const auto on_both = [&](const Arguments& before, const Arguments& after) {
    const ProgramResult alone = run_program(scratch_.path(), before + Arguments{"serial"} + after);
    const ProgramResult shared = run_job(scratch_.path(), 3, before + Arguments{"ranks"} + after);
    EXPECT_EQ(shared.code, alone.code) << shared;
    expect_same_run(path("ranks"), path("serial"));
  };
  on_both({"train"}, {"--marginal", "0,1,2", "--marginal", "1,2,0"});
  // Four batches of draws: two for one of the ranks. The networks are too small to pass.
  on_both({"check"}, {"--simulations", "1700"});
  on_both({"check"}, {"--simulations", "1700", "--correct"});
}

TEST_F(Ranks, CompareSamplesAsOneProcessDoes) {
  make_serial(torus_run("serial"));
  for (const char* seed : {"1", "2"}) {
    const std::string file = std::string("samples-") + seed + ".csv";
    const ProgramResult made = run_program(
        scratch_.path(),
        {"sample", "serial", "--marginal", "0,1", "-n", "400", "--seed", seed, "-o", file});
    ASSERT_EQ(made.code, 0) << made;
  }
  const Arguments compare{"compare", "samples-1.csv", "samples-2.csv", "--json"};
  const ProgramResult alone = run_program(scratch_.path(), compare);
  ASSERT_EQ(alone.code, 0) << alone;
  EXPECT_EQ(run_job(scratch_.path(), 3, compare).out, alone.out);
  const ProgramResult missing =
      run_job(scratch_.path(), 2, {"compare", "samples-1.csv", "samples-3.csv"});
  EXPECT_EQ(missing.code, 2) << missing;
  EXPECT_NE(missing.err.find("samples-3.csv"), std::string::npos) << missing;

  // Rank 1 alone does not find them: it starts elsewhere.
  const TemporaryDirectory elsewhere;
  const ProgramResult apart = run_job(
      scratch_.path(), 1,
      compare + Arguments{":", "-n", "1", "-wdir", elsewhere.path().string(), HONE_PROGRAM} +
          compare);
  EXPECT_EQ(apart.code, 2) << apart;
  EXPECT_NE(apart.err.find("rank 1 cannot take part: samples-1.csv"), std::string::npos) << apart;
}

TEST_F(Ranks, SurviveTheDeathOfOneAndOfAllInTheSimulations) {
  make_serial(problem_run("serial"));
  const fs::path store = path("killed") / "simulations" / "manifest.json";
  const auto kill_one = [](MpiJob& job) { EXPECT_TRUE(job.send(1, SIGKILL)); };
  const ProgramResult killed = disturb(3, problem_run("killed"), store, 0.8, kill_one);
  EXPECT_NE(killed.code, 0);
  EXPECT_NE(killed.err.find("hone resume killed"), std::string::npos) << killed;
  EXPECT_GE(shards_of(path("killed")).size(), 1U) << "nothing of what was finished is saved";
  disturb(2, {"resume", "killed"}, store, 0.7, [](MpiJob& job) { job.kill_all(); });
  expect_resumed_as("killed", 4, "serial");
}

TEST_F(Ranks, SurviveTheDeathOfOneAndOfAllInTheTraining) {
  make_serial(torus_run("serial", 25) + kEmbedding);
  const fs::path shard = path("killed") / "simulations" / "shard-000001.h5";
  const auto kill_one = [](MpiJob& job) { EXPECT_TRUE(job.send(2, SIGKILL)); };
  EXPECT_NE(disturb(3, torus_run("killed", 25) + kEmbedding, shard, 0.1, kill_one).code, 0);
  disturb(2, {"resume", "killed"}, shard, 0.8, [](MpiJob& job) { job.kill_all(); });
  expect_resumed_as("killed", 3, "serial");
}

TEST_F(Ranks, StopWhenMpirunIsAskedTo) {
  make_serial(problem_run("serial"));
  const fs::path store = path("stopped") / "simulations" / "manifest.json";
  const auto stop = [](MpiJob& job) { job.mpirun().send(SIGTERM); };
  const ProgramResult stopped = disturb(2, problem_run("stopped"), store, 0.5, stop);
  EXPECT_NE(stopped.code, 0);
  EXPECT_NE(stopped.err.find("hone resume stopped"), std::string::npos) << stopped;
  EXPECT_GE(shards_of(path("stopped")).size(), 1U);
  expect_resumed_as("stopped", 3, "serial");
}

TEST_F(Ranks, ThatHangAreNoticed) {
  make_serial(problem_run("serial"));
  const fs::path store = path("hung") / "simulations" / "manifest.json";
  const auto hang = [](MpiJob& job) { EXPECT_TRUE(job.send(1, SIGSTOP)); };
  const ProgramResult hung = disturb(2, problem_run("hung"), store, 0.3, hang);
  EXPECT_EQ(hung.code, 1) << hung;
  for (const char* part : {"rank 1 on", "hangs", "hone resume"}) {
    EXPECT_NE(hung.err.find(part), std::string::npos) << part << "\n" << hung;
  }
  expect_resumed_as("hung", 2, "serial");
}

TEST_F(Ranks, RefuseWhatASerialRunRefuses) {
  put_bytes(path("slow.py"), "print('rubbish')\n");
  const ProgramResult serial = run_program(scratch_.path(), problem_run("serial"));
  const ProgramResult ranks = run_job(scratch_.path(), 2, problem_run("ranks"));
  EXPECT_EQ(serial.code, 1) << serial;
  EXPECT_EQ(ranks.code, 1) << ranks;
  EXPECT_NE(ranks.err.find("before it answered anything"), std::string::npos) << ranks;
}

TEST(Launch, WithoutMpirunNothingOfMpiIsLoaded) {
  const TemporaryDirectory scratch;
  ::setenv("HONE_MPI_LIBRARY", "/nonexistent/libhone_mpi.so", 1);
  EXPECT_EQ(run_program(scratch.path(), small_run("plain")).code, 0);
  ::setenv("PMI_RANK", "0", 1);
  const ProgramResult refused = run_program(scratch.path(), small_run("refused"));
  EXPECT_FALSE(fs::exists(scratch.path() / "refused"));
  ::setenv("HONE_MPI", "off", 1);
  EXPECT_EQ(run_program(scratch.path(), small_run("off")).code, 0);
  for (const char* name : {"HONE_MPI_LIBRARY", "PMI_RANK", "HONE_MPI"}) ::unsetenv(name);
  expect_refused(refused, 2, {"rank of an MPI job", "built without MPI", "HONE_MPI=off"});
}

}  // namespace
}  // namespace hone
