// Runs of which something is missing, or that another program has to continue.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "hone/run/execute_run.h"
#include "hone/run/finished_run.h"
#include "inference/support.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

RunSpec function_spec() {
  InferenceOptions options = test::small_options(200);
  options.max_rounds = 1;
  options.network.hidden = 16;
  options.training.max_epochs = 30;
  return {.name = "function",
          .simulator = {},
          .seed = 3,
          .prior = test::uniform_prior(1),
          .observation = {0.5},
          .marginals = {{0}},
          .options = options};
}

void execute(RunDirectory& run) {
  const auto simulator = make_simulator(1, test::additive_noise(0.1));
  const auto executor = make_thread_executor(*simulator);
  execute_run(run, {*executor});
}

TEST(IncompleteRun, OfAFunctionCanBeAskedForItsParameters) {
  const TemporaryDirectory scratch;
  RunDirectory::create(scratch.path() / "run", function_spec());
  const ProgramResult asked = run_program(scratch.path(), {"ask", "run", "-n", "3"});
  EXPECT_EQ(asked.code, 0) << asked;
  EXPECT_EQ(std::ranges::count(asked.out, '\n'), 4) << asked;
  const ProgramResult resumed = run_program(scratch.path(), {"resume", "run"});
  EXPECT_EQ(resumed.code, 2) << resumed;
  EXPECT_TRUE(contains(resumed.err, "a function of another program")) << resumed;
}

// A correction was chosen for one posterior and says nothing of the one that takes its place.
TEST(IncompleteRun, ThatIsComputedAgainHasNoCorrectionOfTheOldPosterior) {
  const TemporaryDirectory scratch;
  RunDirectory run = RunDirectory::create(scratch.path() / "run", function_spec());
  execute(run);
  const double deviation = run.summary()->parameters[0].deviation;
  correct_posterior(run, {.powers = {{{0}, 0.5}}});
  EXPECT_GT(run.summary()->parameters[0].deviation, 1.1 * deviation);
  fs::remove_all(run.path() / "networks");
  execute(run);
  EXPECT_FALSE(run.correction());
  EXPECT_EQ(run.summary()->parameters[0].deviation, deviation);
}

TEST(IncompleteRun, OfAnOlderVersionMissesARoundThatIsGone) {
  const TemporaryDirectory scratch;
  fs::copy(HONE_SOURCE_DIR "/tests/run/data/format-1/finished", scratch.path() / "run",
           fs::copy_options::recursive);
  const RunDirectory run = RunDirectory::open(scratch.path() / "run");
  EXPECT_TRUE(run.complete());
  fs::remove(scratch.path() / "run/rounds/round-01.json");
  EXPECT_FALSE(run.complete());
}

}  // namespace
}  // namespace hone
