// A finished run goes on with a larger budget: every simulation is kept, the state before stays,
// and an interruption changes no bit.

#include "hone/run/extend_run.h"

#include <gtest/gtest.h>

#include "hone/posterior/sampling.h"
#include "hone/run/execute_run.h"
#include "hone/run/finished_run.h"
#include "inference/support.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using test::additive_noise, test::small_options, test::uniform_prior;

RunSpec spec(Index budget) {
  InferenceOptions options = small_options(budget);
  options.training.max_epochs = 5;
  options.max_rounds = 3;
  options.final_fraction = 0.3;
  return {.name = "test",
          .simulator = {},
          .seed = 7,
          .prior = uniform_prior(2, -1, 1),
          .observation = {0.1, 0.2},
          .marginals = {{0}, {1}, {0, 1}},
          .options = options};
}

// Asks to stop after so many calls.
class Stopper final : public Observer {
 public:
  explicit Stopper(int calls) : left_(calls) {}
  bool stop_requested() override { return --left_ < 0; }

 private:
  int left_;
};

class ExtendRun : public testing::Test {
 protected:
  RunDirectory finished(const std::string& name, Index budget = 400) {
    RunDirectory run = RunDirectory::create(directory_.path() / name, spec(budget));
    execute(run);
    return run;
  }
  void execute(RunDirectory& run, Observer& observer = silent_observer()) {
    execute_run(run, {*executor_, observer});
  }
  static std::vector<double> draws(const RunDirectory& run) {
    const auto posteriors = run.posteriors();
    return test::column(
        sample_posterior(find_posterior(posteriors, {0}, run.spec().observation), 100, Rng(1))
            .theta,
        0);
  }

  TemporaryDirectory directory_;
  std::unique_ptr<Simulator> simulator_ = make_simulator(2, additive_noise(0.1));
  std::unique_ptr<Executor> executor_ = make_thread_executor(*simulator_);
};

TEST_F(ExtendRun, KeepsEverySimulationAndTheStateBefore) {
  RunDirectory run = finished("run");
  const std::vector<double> before = draws(run);
  const auto first_x = run.store()->read_x(17);
  const std::size_t rounds = run.rounds().size();
  extend_run(run, 1000);
  EXPECT_FALSE(run.finished());
  EXPECT_FALSE(run.complete());
  execute(run);
  EXPECT_TRUE(run.complete());
  EXPECT_EQ(run.store()->rows(), 1000);
  EXPECT_EQ(run.store()->read_x(17), first_x);
  EXPECT_GE(run.rounds().size(), rounds + 1);
  EXPECT_NE(draws(run), before);
  const RunDirectory again = RunDirectory::open(run.path());
  EXPECT_EQ(again.spec().options.budget, 1000);
  EXPECT_EQ(again.first_budget(), 400);
  EXPECT_EQ(again.extensions(), (std::vector<Extension>{{1000, static_cast<int>(rounds), 400}}));
  EXPECT_EQ(draws(again), draws(run));
  EXPECT_EQ(draws(again.state(0)), before);
  EXPECT_EQ(again.state(0).summary()->simulations, 400);
  // What the new state was trained on lies inside the region of the one before.
  const Region old = *again.state(0).final_region();
  EXPECT_EQ(again.final_region()->intersect(old), *again.final_region());
}

TEST_F(ExtendRun, GivesTheSameBitsWhenItIsInterrupted) {
  RunDirectory straight = finished("straight");
  extend_run(straight, 900);
  execute(straight);
  RunDirectory stopped = finished("stopped");
  extend_run(stopped, 900);
  int interruptions = 0;
  for (int calls = 3;; calls += 7) {
    RunDirectory run = RunDirectory::open(stopped.path());
    Stopper stopper(calls);
    try {
      execute(run, stopper);
      break;
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::interrupted);
      ++interruptions;
    }
    extend_run(run, 900);  // the same command again
  }
  EXPECT_GT(interruptions, 1);
  EXPECT_EQ(draws(RunDirectory::open(stopped.path())), draws(straight));
}

TEST_F(ExtendRun, MayBeRepeatedAndExtendedTwice) {
  RunDirectory run = finished("run");
  for (const Index budget : {700, 900}) {
    extend_run(run, budget);
    execute(run);
    extend_run(run, budget);  // nothing
    EXPECT_TRUE(run.complete());
  }
  EXPECT_EQ(run.extensions().size(), 2u);
  EXPECT_EQ(run.store()->rows(), 900);
  EXPECT_TRUE(fs::exists(run.path() / "extended-02/posterior/summary.json"));
  EXPECT_TRUE(run.state(1).finished());
}

TEST_F(ExtendRun, RefusesWhatItCannotDo) {
  RunDirectory run = finished("run");
  const auto smaller = error_text([&] { extend_run(run, 300); }, ErrorKind::input);
  EXPECT_TRUE(contains(smaller, "budget = 300: must be more than 400")) << smaller;
  RunDirectory begun = RunDirectory::create(directory_.path() / "begun", spec(400));
  const auto unfinished = error_text([&] { extend_run(begun, 800); }, ErrorKind::input);
  EXPECT_TRUE(contains(unfinished, "not finished")) << unfinished;
}

TEST_F(ExtendRun, RefusesAListThatIsNotItsOwn) {
  RunDirectory a = finished("a"), b = RunDirectory::create(directory_.path() / "b", spec(500));
  extend_run(a, 800);
  fs::copy(a.path() / "extensions.json", b.path() / "extensions.json");
  error_text([&] { RunDirectory::open(b.path()); }, ErrorKind::io);
}

}  // namespace
}  // namespace hone
