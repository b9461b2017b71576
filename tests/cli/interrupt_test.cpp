#include <chrono>
#include <csignal>
#include <thread>

#include "cli/program.h"
#include "cli/same_run.h"
#include "files/forgery.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// So many epochs that it is in training when the signal comes.
Arguments long_run(const std::string& output, int epochs) {
  return small_run(output, {.max_epochs = epochs}) + Arguments{"--patience", "100000"};
}

void wait_for(RunningProgram& program, const fs::path& file) {
  while (program.running() && !fs::exists(file)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(Interrupt, CtrlCStopsCleanlyAndResumeEndsWithTheSameBits) {
  const TemporaryDirectory scratch;
  for (const int signal : {SIGINT, SIGTERM}) {
    RunningProgram program(scratch.path(), long_run("run", 150));
    wait_for(program, scratch.path() / "run" / "simulations" / "shard-000001.h5");
    program.send(signal);
    const ProgramResult stopped = program.wait(20);
    EXPECT_EQ(stopped.code, 130) << stopped;
    EXPECT_TRUE(contains(stopped.err, "hone resume run")) << stopped;
    EXPECT_EQ(stopped.out, "");
    const ProgramResult resumed = run_program(scratch.path(), {"resume", "run"});
    EXPECT_EQ(resumed.code, 0) << resumed;
    if (!fs::exists(scratch.path() / "undisturbed")) {
      EXPECT_EQ(run_program(scratch.path(), long_run("undisturbed", 150)).code, 0);
    }
    expect_same_run(scratch.path() / "run", scratch.path() / "undisturbed");
    fs::remove_all(scratch.path() / "run");
  }
}

TEST(Interrupt, CtrlCDuringLaterTrainingLeavesTheRunAsItWas) {
  const TemporaryDirectory scratch;
  const ProgramResult run =
      run_program(scratch.path(), long_run("run", 2) + Arguments{"--marginal", "1d"});
  ASSERT_EQ(run.code, 0) << run;
  // Two epochs are over at once: give the training more to do.
  forge(scratch.path() / "run" / "run.json",
        [](nlohmann::ordered_json& json) { json["options"]["max_epochs"] = 100000; });
  const auto before = files_of(scratch.path() / "run");
  RunningProgram program(scratch.path(), {"train", "run", "--marginal", "0,1"});
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  program.send(SIGINT);
  const ProgramResult stopped = program.wait(20);
  EXPECT_EQ(stopped.code, 130) << stopped;
  EXPECT_TRUE(contains(stopped.err, "the run is unchanged")) << stopped;
  EXPECT_EQ(files_of(scratch.path() / "run"), before);
}

TEST(Interrupt, ASecondProcessOnTheSameRunIsRefused) {
  const TemporaryDirectory scratch;
  RunningProgram first(scratch.path(), long_run("run", 100000));
  wait_for(first, scratch.path() / "run" / "simulations" / "shard-000001.h5");
  expect_refused(run_program(scratch.path(), {"resume", "run"}), 1,
                 {"run", "process " + std::to_string(first.process()) + " is working on this run"});
  const ProgramResult shown = run_program(scratch.path(), {"show", "run"});
  EXPECT_EQ(shown.code, 0) << shown;
  first.send(SIGINT);
  EXPECT_EQ(first.wait(20).code, 130);
}

TEST(SameBits, TheNumberOfThreadsDoesNotMatter) {
  const TemporaryDirectory scratch;
  for (const char* threads : {"1", "2", "4"}) {
    const ProgramResult result =
        run_program(scratch.path(), small_run(threads) + Arguments{"--threads", threads});
    EXPECT_EQ(result.code, 0) << result;
    expect_same_run(scratch.path() / threads, scratch.path() / "1");
  }
  const ProgramResult other =
      run_program(scratch.path(), small_run("other") + Arguments{"--seed", "2"});
  EXPECT_EQ(other.code, 0) << other;
  EXPECT_NE(bytes_of(scratch.path() / "other/posterior/posterior.h5"),
            bytes_of(scratch.path() / "1/posterior/posterior.h5"));
}

}  // namespace
}  // namespace hone
