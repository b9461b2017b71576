#include "hone/core/error.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Error, CarriesItsKindAndTheFormattedMessage) {
  try {
    fail(ErrorKind::input, "truncation.epsilon = {}: must lie in (0, 1)", 2);
    FAIL() << "fail() returned";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_STREQ(error.what(), "truncation.epsilon = 2: must lie in (0, 1)");
  }
}

TEST(Error, NamesEveryKindDifferently) {
  EXPECT_EQ(to_string(ErrorKind::input), "input");
  EXPECT_EQ(to_string(ErrorKind::io), "io");
  EXPECT_EQ(to_string(ErrorKind::simulator), "simulator");
  EXPECT_EQ(to_string(ErrorKind::numerical), "numerical");
  EXPECT_EQ(to_string(ErrorKind::interrupted), "interrupted");
}

TEST(Assertion, DoesNothingWhenTheConditionHolds) {
  EXPECT_NO_THROW(HONE_ASSERT(1 + 1 == 2));
}

TEST(Assertion, IsABugReportAndNotAnErrorOfTheUser) {
  try {
    HONE_ASSERT(1 + 1 == 3);
    FAIL() << "the assertion held";
  } catch (const std::logic_error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("1 + 1 == 3"), std::string::npos) << text;
    EXPECT_NE(text.find("error_test.cpp"), std::string::npos) << text;
    EXPECT_NE(text.find("bug in hone"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace hone
