#include "hone/session/session.h"

#include <gtest/gtest.h>

#include "files/test_files.h"
#include "hone/run/execute_run.h"
#include "hone/session/mpi_job.h"

namespace hone {
namespace {

Problem quick_two_moons() {
  Problem problem = read_problem("two_moons");
  problem.options.budget = 300;
  problem.options.max_rounds = 1;
  problem.options.ensemble = problem.options.round_ensemble = 1;
  problem.options.ensemble_rows = 0;
  problem.options.network.hidden = 8;
  problem.options.training.max_epochs = 3;
  return problem;
}

TEST(Session, GoesFromATaskToItsReport) {
  const TemporaryDirectory scratch;
  RunDirectory run = RunDirectory::create(scratch.path() / "run", run_spec(quick_two_moons(), 4));
  const SessionResult result = finish_run(run);
  EXPECT_FALSE(result.was_finished);
  EXPECT_EQ(run.spec().seed, 4u);
  EXPECT_EQ(result.summary.parameters.size(), 2u);
  EXPECT_EQ(result.summary.simulations, 300);
  EXPECT_FALSE(result.checks.checks.empty());
  EXPECT_EQ(result.report_error, "");
  EXPECT_TRUE(std::filesystem::exists(result.report));
}

TEST(Session, DoesNothingTwice) {
  const TemporaryDirectory scratch;
  RunDirectory run = RunDirectory::create(scratch.path() / "run", run_spec(quick_two_moons()));
  const SessionResult first = finish_run(run, silent_observer(), {.report = false});
  EXPECT_TRUE(first.report.empty());
  const SessionResult again = finish_run(run);
  EXPECT_TRUE(again.was_finished);
  EXPECT_EQ(again.summary.parameters[0].mean, first.summary.parameters[0].mean);
  EXPECT_EQ(again.checks.summary, first.checks.summary);
  EXPECT_TRUE(std::filesystem::exists(again.report));
}

TEST(Session, AProblemFileIsReadByItsEnding) {
  const TemporaryDirectory scratch;
  put_bytes(scratch.path() / "problem.toml",
            "[simulator]\ntask = \"two_moons\"\n[inference]\nbudget = 700\n");
  const Problem problem = read_problem((scratch.path() / "problem.toml").string());
  EXPECT_EQ(problem.options.budget, 700);
  EXPECT_EQ(problem.simulator.task, "two_moons");
  error_text([] { read_problem("no_such_task"); }, ErrorKind::input);
}

// A run of a function says so, and whoever cannot call the function is told who can.
TEST(Session, ARunOfAFunctionExplainsItself) {
  const TemporaryDirectory scratch;
  RunSpec spec = run_spec(quick_two_moons());
  spec.simulator = {};
  RunDirectory run = RunDirectory::create(scratch.path() / "run", spec);
  EXPECT_EQ(RunDirectory::open(run.path()).spec().simulator.kind, SimulatorKind::function);
  const auto text = error_text([&] { finish_run(run); }, ErrorKind::input);
  EXPECT_TRUE(contains(text, "only that program can call")) << text;
  // What is left of it once its program has made the simulations needs the function no more.
  const OpenSimulator open = open_simulator(simulator_inputs(run_spec(quick_two_moons())));
  execute_run(run, {*open.executor});
  EXPECT_FALSE(needs_simulator(run));
  EXPECT_FALSE(finish_run(run).checks.checks.empty());
  EXPECT_TRUE(finish_run(run).was_finished);
}

TEST(Session, EveryKindOfSimulatorHasARowInOrder) {
  for (const SimulatorKind kind :
       {SimulatorKind::command, SimulatorKind::run, SimulatorKind::library, SimulatorKind::dataset,
        SimulatorKind::task, SimulatorKind::by_hand, SimulatorKind::function}) {
    EXPECT_EQ(facts_of(kind).kind, kind);
  }
}

TEST(Session, WithoutAnMpiJobThisProcessWorksAlone) {
  MpiJob job;
  EXPECT_EQ(job.transport(), nullptr);
  EXPECT_EQ(job.threads(3), 3);
  EXPECT_TRUE(job.all_ranks().mine(7));
  EXPECT_EQ(job.prepare_on_all_ranks([] { return 5; }), 5);
  EXPECT_EQ(job.work_on_all_ranks([] { return 6; }), 6);
}

}  // namespace
}  // namespace hone
