#include "hone/core/error.h"

#include <functional>

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

Error thrown_by(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error was thrown";
  return {ErrorKind::input, ""};
}

TEST(Error, KeepsPlaceValueAndReasonApart) {
  const Error error = thrown_by([] { fail_value("epsilon", 2.0, "must lie in (0, 1)"); });
  EXPECT_EQ(error.kind(), ErrorKind::input);
  EXPECT_EQ(error.place(), "epsilon");
  EXPECT_EQ(error.value(), "2");
  EXPECT_EQ(error.reason(), "must lie in (0, 1)");
  EXPECT_STREQ(error.what(), "epsilon = 2: must lie in (0, 1)");
  EXPECT_STREQ(thrown_by([] { fail_place("noise.sigma", "it has no numbers"); }).what(),
               "noise.sigma: it has no numbers");
}

TEST(Error, CanBeMovedToAnotherNameOfItsPlace) {
  const Error error = thrown_by([] { fail_value("max_epochs", 0, "must be 1 or greater"); });
  const Error moved = error.moved_to("--max-epochs");
  EXPECT_EQ(moved.place(), "--max-epochs");
  EXPECT_STREQ(moved.what(), "--max-epochs = 0: must be 1 or greater");
  EXPECT_STREQ(error.what(), "max_epochs = 0: must be 1 or greater");
}

std::string other_words(Action action, const std::string& run) {
  return action == Action::resume ? "press Resume of " + run : "";
}

TEST(Error, GivesAdviceInTheWordsOfAnInterface) {
  const Error error = thrown_by([] {
    fail_with_advice(ErrorKind::input, "a is not finished",
                     {.before = ": ", .action = Action::resume, .run = "a", .after = " first"});
  });
  EXPECT_EQ(error.message(), "a is not finished");
  EXPECT_STREQ(error.what(), "a is not finished: run `hone resume a` first");
  EXPECT_EQ(error.text(other_words), "a is not finished: press Resume of a first");
  EXPECT_EQ(error.followed_by("!").text(other_words),
            "a is not finished: press Resume of a first!");
  EXPECT_STREQ(Error(ErrorKind::io, "lost").followed_by("!").what(), "lost!");
}

TEST(Error, WordsOfTheCommandLineAreCommands) {
  EXPECT_EQ(command_words(Action::none, "run"), "");
  EXPECT_EQ(command_words(Action::resume, "run"), "run `hone resume run`");
  EXPECT_EQ(command_words(Action::resume, ""), "run `hone resume`");
  EXPECT_EQ(command_words(Action::open, "run"), "run `hone resume run`");
  EXPECT_EQ(command_words(Action::ask, ""), "`hone ask` says what comes next");
  EXPECT_EQ(command_words(Action::ask_or_resume, ""), "go on with `hone ask` or `hone resume`");
  EXPECT_EQ(command_words(Action::ask_and_tell, ""),
            "get their parameters by `hone ask`, hand back results by `hone tell`");
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
