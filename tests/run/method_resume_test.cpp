// Runs by every inference method: interrupted wherever it may be and resumed, they end with the
// bytes of a run that nobody disturbed. See also tests/inference/conformance_test.cpp.
#include <gtest/gtest.h>

#include "hone/core/parallel.h"
#include "hone/run/execute_run.h"
#include "inference/support.h"

namespace hone {
namespace {

RunSpec spec(const std::string& method, std::uint64_t seed = 7) {
  InferenceOptions options = test::small_options(500);
  options.method = method;
  options.max_rounds = 3;
  options.ensemble = 2;
  options.network.hidden = 8;
  options.training.max_epochs = 12;
  return {.name = "test",
          .simulator = {},
          .seed = seed,
          .prior = test::uniform_prior(2, -1, 1),
          .observation = {0.1, 0.2},
          .marginals = {{0}, {1}, {0, 1}},
          .options = options};
}

// Asks to stop once it has been asked so many times.
class StopAfter final : public Observer {
 public:
  explicit StopAfter(int calls) : left_(calls) {}
  bool stop_requested() override { return --left_ < 0; }

 private:
  int left_;
};

class RunByEveryMethod : public testing::TestWithParam<std::string> {
 protected:
  RunDirectory create(const std::string& name, const RunSpec& spec) {
    return RunDirectory::create(directory_.path() / name, spec);
  }
  RunDirectory undisturbed(const std::string& name, const RunSpec& spec) {
    RunDirectory run = create(name, spec);
    execute_run(run, {*executor_});
    return run;
  }
  static std::string bytes(const RunDirectory& run, const char* file) {
    const std::string result = bytes_of(run.path() / file);
    EXPECT_FALSE(result.empty()) << file;
    return result;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<Simulator> simulator_ = make_simulator(2, test::additive_noise(0.1));
  std::unique_ptr<Executor> executor_ = make_thread_executor(*simulator_);
};

TEST_P(RunByEveryMethod, EndsWithTheSameBytesHoweverOftenItIsInterrupted) {
  const RunDirectory whole = undisturbed("whole", spec(GetParam()));
  const auto path = create("interrupted", spec(GetParam())).path();
  int interruptions = 0;
  // Every time a little later, on one thread and on two.
  for (int calls = 0; !RunDirectory::open(path).finished(); calls += 1 + calls / 2) {
    RunDirectory run = RunDirectory::open(path);
    StopAfter stop(calls);
    try {
      with_threads(1 + calls % 2, [&] { execute_run(run, {*executor_, stop}); });
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::interrupted) << error.what();
      ++interruptions;
    }
    ASSERT_LT(calls, 100000);
  }
  // Without networks to train there is little to interrupt.
  EXPECT_GE(interruptions, whole.final_posterior().histories.empty() ? 2 : 4);
  const RunDirectory resumed = RunDirectory::open(path);
  const RunDirectory other = undisturbed("other", spec(GetParam(), 8));
  for (const char* file : {"networks/main.h5", "posterior/posterior.h5"}) {
    EXPECT_TRUE(bytes(resumed, file) == bytes(whole, file)) << file;
    EXPECT_FALSE(bytes(other, file) == bytes(whole, file)) << file;  // the control: another seed
  }
  EXPECT_EQ(bytes(resumed, "posterior/summary.json"), bytes(whole, "posterior/summary.json"));
  EXPECT_EQ(resumed.store()->rows(), 500);
}

TEST_P(RunByEveryMethod, TrainsAgainWhatWasLost) {
  RunDirectory run = undisturbed("run", spec(GetParam()));
  const std::string networks = bytes(run, "networks/main.h5");
  const std::string posterior = bytes(run, "posterior/posterior.h5");
  std::filesystem::remove_all(run.path() / "networks");
  std::filesystem::remove_all(run.path() / "posterior");
  EXPECT_FALSE(run.finished());
  execute_run(run, {*executor_});
  EXPECT_TRUE(bytes(run, "networks/main.h5") == networks);
  EXPECT_TRUE(bytes(run, "posterior/posterior.h5") == posterior);
}

TEST_P(RunByEveryMethod, RefusesNonsense) {
  const auto refused = [&](const char* name, const std::function<void(RunSpec&)>& change) {
    RunSpec changed = spec(GetParam());
    change(changed);
    return refusal([&] { undisturbed(name, changed); });
  };
  const auto none = refused("none", [](RunSpec& s) { s.marginals = {}; });
  EXPECT_TRUE(contains(none, "marginals")) << none;
  const auto empty = refused("empty", [](RunSpec& s) { s.marginals = {{}}; });
  EXPECT_TRUE(contains(empty, "marginals")) << empty;
  const auto unknown = refused("unknown", [](RunSpec& s) { s.marginals = {{2}}; });
  EXPECT_TRUE(contains(unknown, "marginals")) << unknown;
  const auto twice = refused("twice", [](RunSpec& s) { s.marginals = {{1, 1}}; });
  EXPECT_TRUE(contains(twice, "marginals")) << twice;
  const auto longer = refused("longer", [](RunSpec& s) { s.observation = {0.1, 0.2, 0.3}; });
  EXPECT_TRUE(contains(longer, "the simulator returns 2 numbers; it must return 3")) << longer;
  const auto shorter = refused("shorter", [](RunSpec& s) { s.observation = {0.1}; });
  EXPECT_TRUE(contains(shorter, "the simulator returns 2 numbers; it must return 1")) << shorter;
  const auto budget = refused("budget", [](RunSpec& s) { s.options.budget = 3; });
  EXPECT_TRUE(contains(budget, "budget = 3")) << budget;
  const auto misspelt = refused("misspelt", [](RunSpec& s) { s.options.method += "x"; });
  EXPECT_TRUE(contains(misspelt, "'" + GetParam() + "'")) << misspelt;
  EXPECT_NO_THROW(undisturbed("right", spec(GetParam())));
}

// Of problems that anybody may have: they can be simulated, and that is all.
std::vector<std::string> simulating_methods() {
  std::vector<std::string> names;
  for (const Method& method : method_table()) {
    if (!method.needs_likelihood) names.push_back(method.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Methods, RunByEveryMethod, testing::ValuesIn(simulating_methods()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace hone
