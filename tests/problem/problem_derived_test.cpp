// [[derived]] and priors of whole numbers in a problem file.
#include <gtest/gtest.h>

#include "problem/problem_files.h"

namespace hone {
namespace {

using ProblemDerived = ProblemFiles;

std::string with_derived(const std::string& value) {
  return replaced(good_problem(), "[inference]",
                  "[[derived]]\nname = \"ratio\"\nvalue = \"" + value + "\"\n[inference]");
}

TEST_F(ProblemDerived, QuantitiesAreInferredLikeParameters) {
  const Problem problem = read(with_derived("mass / (1 + age^2)"));
  EXPECT_EQ(problem.prior.names(), (std::vector<std::string>{"mass", "age"}));
  EXPECT_EQ(problem.prior.quantity_names(), (std::vector<std::string>{"mass", "age", "ratio"}));
  EXPECT_EQ(problem.marginals, (std::vector<Marginal>{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}}));
  const Problem curve =
      read(with_derived("mass^2") + "marginals = [\"2d\", \"ratio\", \"joint\"]\n");
  EXPECT_EQ(curve.marginals, (std::vector<Marginal>{{0, 1}, {1, 2}, {2}}));
}

TEST_F(ProblemDerived, BuiltInTasksMayHaveThem) {
  const Problem problem =
      read("[simulator]\ntask = \"ring\"\n[[derived]]\nname = \"area\"\nvalue = \"pi * r^2\"\n");
  EXPECT_EQ(problem.marginals, (std::vector<Marginal>{{0}, {1}}));
}

TEST_F(ProblemDerived, MistakesHaveALine) {
  expect_refused(with_derived("mass / agee"), 15,
                 {"derived[0].value = 'mass / agee', character 8", "did you mean 'age'?"});
  expect_refused(with_derived("sqrt(age - 5)"), 15, {"derived[0].value", "not finite"});
  expect_refused(replaced(with_derived("mass * age"), "\"ratio\"", "\"mass\""), 14,
                 {"derived[0].name = 'mass': is the name of another quantity"});
  expect_refused(replaced(with_derived("mass * age"), "value =", "valeu ="), 15,
                 {"unknown key 'valeu'; did you mean 'value'?"});
}

TEST_F(ProblemDerived, PriorsOfWholeNumbersAreRead) {
  const Problem problem = read(replaced(
      good_problem(), "kind = \"uniform\", low = 0, high = 10",
      "kind = \"categorical\", probabilities = [0.2, 0.8], names = [\"star\", \"galaxy\"]"));
  EXPECT_TRUE(problem.prior[0].discrete());
  EXPECT_EQ(problem.prior[0].value_name(1), "galaxy");
  expect_refused(
      replaced(good_problem(), "kind = \"uniform\", low = 0", "kind = \"integer\", low = 0.5"), 9,
      {"parameters[0].prior.low = 0.5: must be a whole number"});
}

}  // namespace
}  // namespace hone
