// Two models of the same data, from the command line.

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace hone {
namespace {

class Models : public testing::Test {
 protected:
  // The torus as it is, and by another seed: the same model twice.
  void SetUp() override {
    run("a", {"--seed", "1"});
    run("b", {"--seed", "2"});
  }
  void run(const std::string& name, const Arguments& more) {
    const ProgramResult result = hone(small_run(name) + more);
    ASSERT_EQ(result.code, 0) << result;
  }
  ProgramResult hone(const Arguments& arguments) { return run_program(scratch.path(), arguments); }
  TemporaryDirectory scratch;
};

TEST_F(Models, AreComparedInATableAndAsJson) {
  const ProgramResult result = hone({"models", "a", "b"});
  EXPECT_TRUE(contains(result.out, "log Bayes factor")) << result;
  EXPECT_TRUE(contains(result.out, "0 (best)")) << result;
  EXPECT_TRUE(contains(result.out, "by classification")) << result;
  const auto found = nlohmann::json::parse(hone({"models", "a", "b", "--json"}).out);
  ASSERT_EQ(found.at("models").size(), 2U);
  double sum = 0;
  for (const auto& model : found.at("models")) sum += model.at("probability").get<double>();
  EXPECT_NEAR(sum, 1, 1e-9);
  const auto weighted =
      nlohmann::json::parse(hone({"models", "a", "b", "--prior", "3,1", "--json"}).out);
  EXPECT_EQ(weighted.at("models")[0].at("prior"), 0.75);
}

TEST_F(Models, WrongUseIsRefused) {
  expect_refused(hone({"models", "a", "a"}), 2, {"is given twice"});
  expect_refused(hone({"models", "a"}), 2, {"declares gaussian or poisson noise"});
  expect_refused(hone({"models", "a", "nothing"}), 2, {"not a run of hone"});
  expect_refused(hone({"models", "a", "b", "--prior", "1"}), 2, {"1 numbers, and there are 2"});
}

}  // namespace
}  // namespace hone
