#include "hone/core/suggestion.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

const std::vector<std::string> kWords{"uniform", "normal", "log_normal"};

TEST(Suggestion, NamesTheNearestWordAndAllThatAreAllowed) {
  EXPECT_EQ(nearest_word("normla", kWords), "normal");
  EXPECT_EQ(nearest_word("Log-Normal", kWords), "log_normal") << "case and separator do not count";
  EXPECT_EQ(suggestion("normla", kWords),
            "did you mean 'normal'? allowed: uniform, normal, log_normal");
}

TEST(Suggestion, HasNoQuestionWhereNothingLooksLikeTheWord) {
  EXPECT_EQ(nearest_word("xyz", kWords), std::nullopt);
  EXPECT_EQ(nearest_word("normal", {}), std::nullopt);
  EXPECT_EQ(nearest_word(std::string(101, 'n'), kWords), std::nullopt);
  EXPECT_EQ(suggestion("xyz", kWords), "allowed: uniform, normal, log_normal");
}

}  // namespace
}  // namespace hone
