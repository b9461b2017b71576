// A simulator of which 22 % of the simulations crash, hang, return NaN or print rubbish.
#include <cmath>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/mischief.h"
#include "cli/problem_text.h"
#include "cli/program.h"
#include "hone/core/rng.h"
#include "hone/simulator/worker_protocol.h"

namespace hone {
namespace {

using Json = nlohmann::json;

constexpr int kBudget = 800;
constexpr std::uint64_t kSeed = 3;
constexpr double kObserved[] = {0.8, -1.1};

// 16 workers, for each hang costs two timeouts: a healthy simulation that a busy machine keeps
// waiting for a second gets its second chance, an unruly one does it again.
std::string problem(const std::string& kind) {
  return to_toml({.simulator = "command = ['" HONE_TEST_SIMULATOR "', '" + kind +
                               "']\nworkers = 16\ntimeout = 1\nretries = 1",
                  .observed = "[0.8, -1.1]",
                  .prior_a = kNormalPrior,
                  .prior_b = kNormalPrior,
                  .inference = "method = 'mnre'\nmarginals = '1d'\nbudget = 800\nseed = 3\n"});
}

Json facts_of_run(const std::string& kind) {
  const TemporaryDirectory scratch;
  put_bytes(scratch.path() / "problem.toml", problem(kind));
  const ProgramResult run = run_program(scratch.path(), {"run", "problem.toml", "-o", "run"});
  EXPECT_EQ(run.code, 0) << run;
  return Json::parse(run_program(scratch.path(), {"show", "run", "--json"}).out);
}

// Prior N(0, 1) and noise of 0.5: the posterior of each parameter is N(0.8 x, 0.2). With 620
// simulations the error of the networks is about 0.1 standard deviations; `shift` moves the answer.
bool is_accurate(const Json& facts, double shift = 0) {
  const double variance = 1 / (1 + 1 / (kSimulatorNoise * kSimulatorNoise));
  const double deviation = std::sqrt(variance);
  bool good = facts.at("parameters").size() == 2;
  for (std::size_t d = 0; good && d < 2; ++d) {
    const Json& found = facts.at("parameters").at(d);
    const double mean = (1 - variance) * kObserved[d] + shift * deviation;
    good = std::abs(found.at("mean").get<double>() - mean) < 0.3 * deviation &&
           std::abs(found.at("standard_deviation").get<double>() / deviation - 1) < 0.25;
  }
  return good;
}

std::map<Mischief, int> expected_counts() {
  std::map<Mischief, int> counts;
  for (std::uint64_t id = 0; id < kBudget; ++id) {
    const std::uint64_t seed = external_seed(Rng(kSeed).child("simulate", id).bits64());
    ++counts[mischief(seed)];
  }
  return counts;
}

Mischief mischief_of(const std::string& reason) {
  if (contains(reason, "signal 11")) return Mischief::crash;
  if (contains(reason, "no answer within 1 s")) return Mischief::hang;
  if (contains(reason, "x[0] is nan")) return Mischief::nan;
  if (contains(reason, "all is well")) return Mischief::rubbish;
  ADD_FAILURE() << reason;
  return Mischief::none;
}

TEST(UnrulySimulator, IsCountedExactlyAndLeavesThePosteriorOfTheHealthyOne) {
  const Json facts = facts_of_run("unruly");
  std::map<Mischief, int> expected = expected_counts(), found;
  const int healthy = expected.extract(Mischief::none).mapped();
  for (const auto& [reason, count] : facts.at("failure_reasons").items()) {
    found[mischief_of(reason)] += count.get<int>();
  }
  EXPECT_EQ(found, expected) << facts.at("failure_reasons");
  EXPECT_EQ(facts.at("simulations_total"), kBudget);
  EXPECT_EQ(facts.at("simulations_failed"), kBudget - healthy);
  EXPECT_TRUE(is_accurate(facts)) << facts.at("parameters");

  const Json good = facts_of_run("good");
  EXPECT_EQ(good.at("simulations_failed"), 0);
  EXPECT_TRUE(is_accurate(good)) << good.at("parameters");
  for (const double shift : {-0.8, 0.8}) {
    EXPECT_FALSE(is_accurate(facts, shift)) << "the test itself must be able to fail";
    EXPECT_FALSE(is_accurate(good, shift));
  }
}

}  // namespace
}  // namespace hone
