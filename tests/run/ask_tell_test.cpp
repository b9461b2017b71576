#include "hone/run/ask_tell.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "files/test_files.h"
#include "hone/run/execute_run.h"
#include "inference/support.h"

namespace hone {
namespace {

constexpr Index kBudget = 400;

// x = theta + noise from the seed, wherever it is computed.
void simulate(std::span<double> x, std::span<const double> theta, Rng noise) {
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = theta[j] + 0.05 * noise.normal();
}

RunSpec small_spec() {
  const auto uniform = make_distribution({"uniform", {{"low", 0}, {"high", 1}}, {}});
  InferenceOptions options = test::small_options(kBudget);
  options.max_rounds = 2;
  options.network.hidden = 8;
  options.training.max_epochs = 4;
  return {.name = "hand",
          .simulator = {},
          .seed = 3,
          .prior = Prior({{"a", "", uniform}, {"b", "", uniform}}),
          .observation = {0.3, 0.6},
          .marginals = {{0}, {1}},
          .options = options};
}

ToldResults answers(const SimulationRequest& request) {
  ToldResults results;
  for (Index i = 0; i < request.rows(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    ToldResult& result = results[request.ids[row]];
    result.x.resize(2);
    simulate(result.x, request.theta.row(i), Rng(request.seeds[row]));
  }
  return results;
}

class AskTell : public testing::Test {
 protected:
  std::string refusal(const ToldResults& results) {
    return error_text([&] { tell(run_, results); }, ErrorKind::input);
  }
  Index stored() { return run_.store()->rows(); }

  TemporaryDirectory directory_;
  RunDirectory run_ = RunDirectory::create(directory_.path() / "run", small_spec());
};

TEST_F(AskTell, HandsOutTheSameSimulationsUntilTheyAreTold) {
  const AskedSimulations first = ask(run_, 5), again = ask(run_, 5), more = ask(run_, 100000);
  EXPECT_EQ(first.request.ids, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(first.request.ids, again.request.ids);
  EXPECT_EQ(first.request.seeds, again.request.seeds);
  EXPECT_TRUE(std::ranges::equal(first.request.theta.row(4), again.request.theta.row(4)));
  EXPECT_EQ(more.request.rows(), more.waiting);
  EXPECT_EQ(first.waiting, more.waiting);

  ToldResults some = answers(first.request);
  some.erase(1);
  const ToldSummary told = tell(run_, some);
  EXPECT_EQ(told.stored, 4);
  EXPECT_EQ(told.waiting, first.waiting - 4);
  EXPECT_EQ(ask(run_, 3).request.ids, (std::vector<std::int64_t>{1, 5, 6}));
}

TEST_F(AskTell, EndsWithTheSameBitsAsARunWithItsOwnSimulator) {
  for (int step = 0; !run_.finished() && step < 100; ++step) {
    const AskedSimulations asked = ask(run_, 77);
    if (asked.waiting > 0) tell(run_, answers(asked.request));
  }
  ASSERT_TRUE(run_.finished());
  EXPECT_EQ(ask(run_, 10).waiting, 0);
  EXPECT_EQ(stored(), kBudget);

  RunDirectory other = RunDirectory::create(directory_.path() / "other", small_spec());
  const auto simulator = make_simulator(2, simulate);
  const auto executor = make_thread_executor(*simulator);
  execute_run(other, {*executor});
  for (const char* file :
       {"posterior/posterior.h5", "posterior/summary.json", "run.json", "rounds/round-01.json"}) {
    EXPECT_EQ(bytes_of(run_.path() / file), bytes_of(other.path() / file)) << file;
  }
}

TEST_F(AskTell, PassesOverRepeatsAndRefusesADifferentResult) {
  const ToldResults results = answers(ask(run_, 10).request);
  EXPECT_EQ(tell(run_, results).stored, 10);
  const ToldSummary again = tell(run_, results);
  EXPECT_EQ(again.stored, 0);
  EXPECT_EQ(again.repeated, 10);
  EXPECT_GT(again.waiting, 0);

  ToldResults changed = answers(ask(run_, 5).request);
  changed[7] = results.at(7);
  changed[7].x[1] += 0.5;
  EXPECT_TRUE(contains(refusal(changed),
                       "simulation 7: it is in the run already, with a different "
                       "result; nothing was stored"));
  changed[7].x.clear();
  changed[7].failure = "crashed";
  EXPECT_TRUE(contains(refusal(changed), "simulation 7"));
  EXPECT_EQ(stored(), 10);
}

TEST_F(AskTell, RefusesWhatWasNotAskedForBeforeStoringAnything) {
  const AskedSimulations asked = ask(run_, 4);
  ToldResults results = answers(asked.request);
  results[kBudget + 5] = results.at(0);
  EXPECT_TRUE(contains(refusal(results), "simulation 405: it was not asked for"));
  results = answers(asked.request);
  results.at(2).x.push_back(1);
  EXPECT_TRUE(contains(refusal(results), "simulation 2: x has 3 numbers, a simulation has 2"));
  results = answers(asked.request);
  results.at(3).theta = {asked.request.theta(3, 0), 0.25};
  EXPECT_TRUE(contains(refusal(results), "simulation 3: its parameters"));
  EXPECT_EQ(stored(), 0);
  results.at(3).theta = {asked.request.theta(3, 0) * (1 + 1e-7), asked.request.theta(3, 1)};
  EXPECT_EQ(tell(run_, results).stored, 4);
}

TEST_F(AskTell, TrainsNothingWhileItIsTold) {
  const SimulationRequest round = ask(run_, kBudget).request;
  EXPECT_EQ(tell(run_, answers(round)).waiting, 0);
  EXPECT_TRUE(run_.rounds().empty());
  EXPECT_EQ(tell(run_, answers(round)).repeated, round.rows());
  ToldResults early;
  early[round.rows()].x = {0, 0};
  EXPECT_TRUE(contains(refusal(early), "it was not asked for; `hone ask` says what comes next"));
  EXPECT_TRUE(run_.rounds().empty());
  EXPECT_EQ(ask(run_, 1).request.ids[0], round.rows());  // goes on by itself
  EXPECT_EQ(run_.rounds().size(), 1u);
}

TEST_F(AskTell, KeepsFailuresWithTheirReasons) {
  ToldResults results = answers(ask(run_, 30).request);
  results.at(3).failure = "no convergence";
  results.at(4).x[0] = std::numeric_limits<double>::infinity();
  const ToldSummary told = tell(run_, results);
  EXPECT_EQ(told.stored, 30);
  EXPECT_EQ(told.failed, 2);
  const auto store = run_.store();
  EXPECT_EQ(store->failure_reasons().at(3), "no convergence");
  EXPECT_EQ(store->failure_reasons().at(4), "x[0] is inf");
  EXPECT_EQ(tell(run_, results).repeated, 30);
}

TEST_F(AskTell, SaysSoWhenEverythingFails) {
  ToldResults results = answers(ask(run_, 50).request);
  for (auto& [id, result] : results) result.failure = "no licence";
  EXPECT_TRUE(contains(error_text([&] { tell(run_, results); }, ErrorKind::simulator),
                       "50 of 50 simulations failed"));
}

TEST_F(AskTell, IsAnInterruptionForARunThatIsResumed) {
  ToldExecutor executor;
  try {
    execute_run(run_, {executor});
    FAIL() << "nothing simulated, and yet it is finished";
  } catch (const WaitingForSimulations& waiting) {
    EXPECT_EQ(waiting.kind(), ErrorKind::interrupted);
    EXPECT_EQ(waiting.count(), executor.missing()->rows());
    EXPECT_TRUE(contains(waiting.what(), "hone ask")) << waiting.what();
  }
}

}  // namespace
}  // namespace hone
