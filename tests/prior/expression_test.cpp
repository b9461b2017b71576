// Formulas of parameters: what they mean, and everything that they refuse.

#include "hone/prior/expression.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "files/test_files.h"
#include "hone/core/error.h"

namespace hone {
namespace {

const std::vector<std::string> kNames = {"a", "b", "log10", "x-y", "e"};

double value(const std::string& text, double a = 0.5, double b = 2) {
  Matrix<double> theta(1, std::ssize(kNames));
  theta(0, 0) = a;
  theta(0, 1) = b;
  theta(0, 4) = 7;
  return Expression(text, kNames)(theta).at(0);
}

std::string refusal(const std::string& text) {
  return error_text([&] { Expression(text, kNames); }, ErrorKind::input);
}

TEST(Expression, MinAndMaxKeepWhatDoesNotExist) {
  for (const char* text : {"min(log(-a), 1)", "min(1, log(-a))", "max(log(-a), 1)",
                           "max(1, log(-a))", "max(1, log(-a), 2)"}) {
    EXPECT_TRUE(std::isnan(value(text))) << text;
  }
}

TEST(Expression, ComputesArithmeticAndFunctions) {
  EXPECT_EQ(value("a * b"), 1);
  EXPECT_EQ(value("a + b * b ^ 2 - 3 / 4"), 0.5 + 8 - 0.75);
  EXPECT_EQ(value("-a^2"), -0.25);
  EXPECT_DOUBLE_EQ(value("b * sqrt(a / 0.3)"), 2 * std::sqrt(0.5 / 0.3));
  EXPECT_DOUBLE_EQ(value("log(a) + log10(b) + exp(a) + log2(b)"),
                   std::log(0.5) + std::log10(2) + std::exp(0.5) + 1);
  EXPECT_DOUBLE_EQ(value("sin(a) + cos(a) + tan(a) + atan(b) + 1e-3"),
                   std::sin(0.5) + std::cos(0.5) + std::tan(0.5) + std::atan(2) + 1e-3);
  EXPECT_EQ(value("min(a, b, 0.1) + max(a, b)"), 2.1);
  EXPECT_EQ(value("a < b ? a : b"), 0.5);
  EXPECT_EQ(value("(a >= b) + (a != b) + (a == 0.5 && b > 1)"), 2);
  EXPECT_DOUBLE_EQ(value("2 * pi * a"), std::numbers::pi);
  EXPECT_EQ(value("a * e"), 3.5);  // a parameter of this name is meant, not the number
}

TEST(Expression, KnowsWhatItDependsOn) {
  EXPECT_EQ(Expression("b + b * 2", kNames).uses(), (std::vector<int>{1}));
  EXPECT_EQ(Expression("e - a", kNames).uses(), (std::vector<int>{0, 4}));
}

TEST(Expression, SaysWhereThereIsNoValue) {
  EXPECT_TRUE(std::isnan(value("sqrt(a - b)")));
  EXPECT_TRUE(std::isinf(value("1 / (b - 2)")));
}

TEST(Expression, NamesTheCharacterThatIsWrong) {
  EXPECT_TRUE(
      contains(refusal("a * sqt(b)"), "character 5: there is no parameter or function 'sqt'"));
  EXPECT_TRUE(contains(refusal("a * sqt(b)"), "did you mean 'sqrt'?"));
  EXPECT_TRUE(contains(refusal("a + c"), "character 5"));
  EXPECT_TRUE(contains(refusal("a * "), "character"));
  EXPECT_TRUE(contains(refusal("(a * b"), "character"));
  EXPECT_TRUE(contains(refusal("a b"), "character 3"));
  EXPECT_TRUE(contains(refusal("2 + 3"), "depends on no parameter"));
  EXPECT_TRUE(contains(refusal(""), "must be a formula"));
}

TEST(Expression, RunsNoCodeAndChangesNothing) {
  EXPECT_TRUE(contains(refusal("a = 3"), "character 3: nothing can be assigned"));
  EXPECT_TRUE(contains(refusal("a + (b = 3)"), "nothing can be assigned"));
  for (const char* text : {"a; b", "\"a\"", "'a'", "a\nb", "system(a)", "a, b", "a[0]", "a # b",
                           "atof(a)", "$a", "a\\b", "_pi * a", "rint(a)", "{a}"}) {
    EXPECT_FALSE(refusal(text).empty()) << text;
  }
  Matrix<double> theta(2, std::ssize(kNames));
  theta(0, 0) = 1;
  theta(1, 0) = 2;
  EXPECT_EQ(Expression("a + a", kNames)(theta), (std::vector<double>{2, 4}));
}

TEST(Expression, HasLimits) {
  std::string deep = "a", wide = "a";
  for (int i = 0; i < Expression::kDeepest; ++i) deep = "(" + deep + ")";
  EXPECT_EQ(value(deep), 0.5);
  EXPECT_TRUE(contains(refusal("(" + deep + ")"), "parentheses inside each other"));
  while (wide.size() + 2 <= Expression::kLongest) wide += "+a";
  EXPECT_EQ(value(wide), 0.25 * static_cast<double>(wide.size() + 1));
  EXPECT_TRUE(contains(refusal(wide + "+a"), "must have at most 1000 characters"));
}

}  // namespace
}  // namespace hone
