// A data set as the first round of a run.
#include <gtest/gtest.h>

#include "files/forgery.h"
#include "hone/core/npy.h"
#include "hone/problem/problem_file.h"
#include "hone/run/execute_run.h"
#include "hone/store/dataset_file.h"
#include "inference/support.h"

namespace hone {
namespace {

using test::additive_noise, test::small_options, test::uniform_prior;

constexpr Index kBudget = 600;

RunSpec spec() {
  InferenceOptions options = small_options(kBudget);
  options.training.max_epochs = 30;
  return {.name = "test",
          .simulator = {},
          .seed = 7,
          .prior = uniform_prior(2, -1, 1),
          .observation = {0.1, 0.2},
          .marginals = {{0}, {1}},
          .options = options};
}

class FirstRoundRun : public testing::Test {
 protected:
  RunDirectory run(const std::string& name, const RunSpec& spec) {
    RunDirectory run = RunDirectory::create(directory_.path() / name, spec);
    execute_run(run, {*executor_});
    return run;
  }
  // The first simulations of a run, as two csv files with all digits.
  RunSpec from_first(const RunDirectory& run, Index rows) {
    const auto store = run.store();
    std::string theta, x;
    for (std::int64_t id = 0; id < rows; ++id) {
      const auto parameters = store->info(id).theta;
      theta += fmt::format("{:.17g},{:.17g}\n", parameters[0], parameters[1]);
      if (store->info(id).failed) {
        x += "nan,nan\n";
        continue;
      }
      const auto data = store->read_x(id);
      x += fmt::format("{:.17g},{:.17g}\n", data[0], data[1]);
    }
    put_bytes(directory_.path() / "theta.csv", theta);
    put_bytes(directory_.path() / "x.csv", x);
    RunSpec result = spec();
    result.simulator.dataset = {(directory_.path() / "theta.csv").string(),
                                (directory_.path() / "x.csv").string()};
    result.simulator.dataset_rows = rows;
    return result;
  }
  static std::string posterior_of(const RunDirectory& run) {
    return content_of(run.path() / "posterior" / "posterior.h5");
  }

  TemporaryDirectory directory_;
  std::unique_ptr<Simulator> simulator_ =
      make_simulator(2, [](std::span<double> x, std::span<const double> theta, Rng noise) {
        if (theta[0] > 0.9) throw std::runtime_error("too far");
        additive_noise(0.03)(x, theta, noise);
      });
  std::unique_ptr<Executor> executor_ = make_thread_executor(*simulator_);
};

TEST_F(FirstRoundRun, CountsItsFailedRowsAsSimulations) {
  const RunDirectory plain = run("plain", spec());
  const Index first = plain.rounds()[0].simulated;
  const RunDirectory with = run("with", from_first(plain, first));
  EXPECT_EQ(with.store()->rows(), kBudget);
  // They count for the budget; the first round makes up for them.
  const auto store = with.store();
  const auto& reasons = store->failure_reasons();
  const Index failed = std::distance(reasons.begin(), reasons.lower_bound(first));
  EXPECT_GT(failed, 0);
  EXPECT_EQ(reasons.begin()->second, "x[0] is nan");
  EXPECT_EQ(with.rounds()[0].kept, first - failed);
  EXPECT_EQ(with.rounds()[0].simulated, failed);
}

TEST_F(FirstRoundRun, HasTheSameBitsWhereNothingFailed) {
  simulator_ = make_simulator(2, additive_noise(0.03));
  executor_ = make_thread_executor(*simulator_);
  const RunDirectory plain = run("plain", spec());
  const Index first = plain.rounds()[0].simulated;
  const RunDirectory with = run("with", from_first(plain, first));
  EXPECT_GT(with.rounds().size(), 1u);
  EXPECT_EQ(with.rounds()[0].kept, first);
  EXPECT_EQ(with.rounds()[0].simulated, 0);
  EXPECT_EQ(posterior_of(with), posterior_of(plain));

  // A smaller or larger data set is all used in the first round.
  const RunDirectory less = run("less", from_first(plain, first / 2));
  EXPECT_EQ(less.rounds()[0].kept, first / 2);
  EXPECT_EQ(posterior_of(less), posterior_of(plain));
  RunSpec more_spec = from_first(run("mnre",
                                     [] {
                                       RunSpec one = spec();
                                       one.options.method = "mnre";
                                       return one;
                                     }()),
                                 first * 2);
  const RunDirectory more = run("more", more_spec);
  EXPECT_EQ(more.rounds()[0].kept, first * 2);
  EXPECT_EQ(more.rounds()[0].simulated, 0);
  EXPECT_EQ(more.store()->rows(), kBudget);
}

TEST_F(FirstRoundRun, GoesOnWithoutTheFileOnceItIsInTheStore) {
  const RunSpec with = from_first(run("plain", spec()), 100);
  const RunDirectory whole = run("whole", with);
  RunDirectory interrupted = RunDirectory::create(directory_.path() / "interrupted", with);
  class Stop final : public Observer {
    bool stop_requested() override { return true; }
  } stop;
  error_text([&] { execute_run(interrupted, {*executor_, stop}); }, ErrorKind::interrupted);
  std::filesystem::remove(directory_.path() / "theta.csv");
  RunDirectory again = RunDirectory::open(interrupted.path());
  execute_run(again, {*executor_});
  EXPECT_EQ(posterior_of(again), posterior_of(whole));
}

TEST_F(FirstRoundRun, IsRefusedIfItChangedSinceOrIsLargerThanTheBudget) {
  RunSpec with = from_first(run("plain", spec()), 100);
  with.simulator.dataset_rows = 99;
  RunDirectory changed = RunDirectory::create(directory_.path() / "changed", with);
  const auto text = error_text([&] { execute_run(changed, {*executor_}); }, ErrorKind::input);
  EXPECT_TRUE(contains(text, "it has 100 simulations of 2 values; must have 99 of 2")) << text;
  with.simulator.dataset_rows = kBudget;
  const auto budget =
      error_text([&] { RunDirectory::create(directory_.path() / "full", with); }, ErrorKind::input);
  EXPECT_TRUE(contains(budget, "budget = 600")) << budget;
}

TEST_F(FirstRoundRun, IsRefusedIfItsNumbersChangedSince) {
  RunSpec with = from_first(run("plain", spec()), 100);
  const std::vector<std::string> names{"a", "b"};
  with.simulator.dataset_checksum =
      dataset_checksum(read_dataset(dataset_source(with.simulator), names));
  const auto x_file = directory_.path() / "x.csv";
  const std::string before = bytes_of(x_file);
  put_bytes(x_file, "0.123,0.456\n" + before.substr(before.find('\n') + 1));
  RunDirectory changed = RunDirectory::create(directory_.path() / "changed", with);
  const auto text = error_text([&] { execute_run(changed, {*executor_}); }, ErrorKind::input);
  EXPECT_TRUE(contains(text, "theta.csv") && contains(text, "have changed since the run was made"))
      << text;
  EXPECT_TRUE(contains(text, "x.csv")) << text;
  put_bytes(x_file, before);
  execute_run(changed, {*executor_});
  EXPECT_TRUE(changed.complete());
  // An older version kept no checksum.
  put_bytes(x_file, "0.123,0.456\n" + before.substr(before.find('\n') + 1));
  with.simulator.dataset_checksum.clear();
  EXPECT_TRUE(run("old", with).complete());
}

}  // namespace
}  // namespace hone
