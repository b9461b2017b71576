// Data that say nothing are said to say nothing.

#include "hone/check/information.h"

#include <gtest/gtest.h>

#include "hone/check/advice.h"

namespace hone {
namespace {

TEST(Information, FindsColumnsThatNeverChange) {
  Matrix<float> a(3, 3), b(2, 3);
  for (Index i = 0; i < 3; ++i) a(i, 0) = static_cast<float>(i), a(i, 1) = 7, a(i, 2) = 5;
  for (Index i = 0; i < 2; ++i) b(i, 0) = 1, b(i, 1) = 7, b(i, 2) = static_cast<float>(i);
  EXPECT_EQ(constant_columns(a, b), std::vector<Index>{1});
}

TEST(Information, FailsWhereAllDataAreEqual) {
  const CheckResult result = information_result({0, 1}, 2, {{"a", false, 1, 1}});
  EXPECT_EQ(result.status, Status::fail);
  EXPECT_NE(result.reason.find("ignores its parameters"), std::string::npos);
}

TEST(Information, NamesParametersWhosePosteriorIsThePrior) {
  const CheckResult result =
      information_result({}, 4, {{"a", true, 1, 0.3}, {"b", true, 1, 0.995}, {"c", false, 1, 0.9}});
  EXPECT_EQ(result.status, Status::caution);
  EXPECT_NE(result.reason.find("b, c"), std::string::npos) << result.reason;
  const CheckResult all = information_result({}, 4, {{"b", true, 1, 0.995}});
  EXPECT_NE(all.reason.find("any parameter"), std::string::npos) << all.reason;
}

TEST(Information, PassesAWideRegionThatWasCut) {
  // The posterior fills what is left of the axis, but much of it was cut before.
  const CheckResult result = information_result({}, 4, {{"a", true, 0.2, 0.99}});
  EXPECT_EQ(result.status, Status::pass);
}

TEST(Information, NamesSomeConstantColumnsWithoutBlame) {
  const CheckResult result = information_result({3}, 9, {{"a", true, 1, 0.3}});
  EXPECT_EQ(result.status, Status::pass);
  EXPECT_NE(result.reason.find("1 of 9 data columns (3)"), std::string::npos) << result.reason;
}

RunSpec spec(std::size_t columns) {
  const auto uniform = make_distribution({"uniform", {{"low", 0}, {"high", 1}}, {}});
  return {.name = "test",
          .simulator = {},
          .prior = Prior({{"a", "", uniform}}),
          .observation = std::vector<double>(columns, 0.0),
          .marginals = {{0}},
          .options = {}};
}

TEST(Advice, PointsAtWhatTheDataAreAndAtNoiseWhereDataAreLong) {
  std::vector<CheckResult> checks{
      {.name = "coverage",
       .status = Status::fail,
       .advice = "use more simulations or dropout",
       .more_simulations = true},
      {.name = "sbc", .advice = "", .more_simulations = true},
      {.name = "cut_truths", .status = Status::fail, .advice = "use more simulations per round"}};
  std::vector<CheckResult> few = checks;
  add_fitting_advice(checks, spec(500));
  EXPECT_NE(checks[0].advice.text().find("--budget 20000"), std::string::npos)
      << checks[0].advice.text();
  EXPECT_NE(checks[0].advice.text().find("an image or a set, say so"), std::string::npos);
  EXPECT_NE(checks[0].advice.text().find("declare it"), std::string::npos);
  EXPECT_EQ(checks[1].advice.text(), "") << "it passed";
  EXPECT_EQ(checks[2].advice.text(), "use more simulations per round")
      << "which is not a larger budget";
  add_fitting_advice(few, spec(5));
  EXPECT_EQ(few[0].advice.text().find("an image"), std::string::npos) << few[0].advice.text();
}

}  // namespace
}  // namespace hone
