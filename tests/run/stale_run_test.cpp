// Two processes open a run; one of them changes it before the other gets its lock.

#include <gtest/gtest.h>

#include "hone/run/run_directory.h"
#include "hone/run/run_lock.h"
#include "inference/support.h"

namespace hone {
namespace {

RunSpec spec() {
  const Prior prior = test::uniform_prior(2, -3, 3);
  return {.name = "test",
          .simulator = {},
          .seed = 7,
          .prior = prior,
          .observation = {0.9, 1.4},
          .marginals = {{0}, {1}},
          .options = test::small_options(200)};
}

class StaleRun : public testing::Test {
 protected:
  TemporaryDirectory scratch;
  RunDirectory first = RunDirectory::create(scratch.path() / "run", spec());
  RunDirectory second = RunDirectory::open(first.path());

  void expect_refused(const RunDirectory& run) {
    const std::string text = error_text([&] { const RunLock lock(run); }, ErrorKind::io);
    EXPECT_TRUE(contains(text, "another process has changed this run")) << text;
  }
};

TEST_F(StaleRun, IsNotWorkedOnAfterALargerBudget) {
  EXPECT_NO_THROW(RunLock{second});
  first.add_extension({.budget = 500, .rounds = 1, .simulations = 200});
  expect_refused(second);
  EXPECT_NO_THROW(RunLock{first});
  EXPECT_NO_THROW(RunLock{RunDirectory::open(first.path())});
}

TEST_F(StaleRun, IsNotWorkedOnAfterDerivedQuantities) {
  first.add_derived({{"sum", "", "p0 + p1"}}, {{2}});
  expect_refused(second);
  EXPECT_NO_THROW(RunLock{first});
  const RunDirectory third = RunDirectory::open(first.path());
  first.add_derived({{"product", "", "p0 * p1"}}, {{3}});
  expect_refused(third);
}

TEST_F(StaleRun, CountsOfAnExtensionMustMakeSense) {
  const auto json = [](Index budget, int rounds, Index simulations) {
    return nlohmann::json(to_json(std::vector<Extension>{{budget, rounds, simulations}}));
  };
  EXPECT_EQ(extensions_from_json(json(500, 1, 200), 200).size(), 1u);
  for (const auto& wrong :
       {json(200, 1, 200), json(500, -1, 200), json(500, 1, -1), json(500, 1, 501)}) {
    EXPECT_THROW(extensions_from_json(wrong, 200), Error) << wrong;
  }
}

}  // namespace
}  // namespace hone
