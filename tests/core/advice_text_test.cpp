#include "hone/core/advice_text.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

std::string calls(Action action, const std::string& /*run*/) {
  return action == Action::larger_budget ? "press Extend to N" : "press Check";
}

const AdviceText advice =
    "wait; " + AdviceText(Action::larger_budget, 2000) + ", or " + AdviceText(Action::correct);

TEST(AdviceText, IsPhrasedByEachInterface) {
  EXPECT_EQ(advice.text(),
            "wait; run `hone resume DIR --budget 2000`, or run `hone check DIR --correct`");
  EXPECT_EQ(advice.text(calls), "wait; press Extend to 2000, or press Check");
  EXPECT_EQ(AdviceText("use dropout").text(calls), "use dropout");
  EXPECT_TRUE(AdviceText().empty());
  EXPECT_TRUE(AdviceText("").empty());
}

TEST(AdviceText, IsReadBackWithItsActions) {
  nlohmann::ordered_json json;
  advice.write_to(json);
  EXPECT_EQ(json.at("advice"), advice.text()) << "scripts read it as before";
  EXPECT_EQ(AdviceText::read_from(json).text(calls), advice.text(calls));
  nlohmann::ordered_json plain;
  AdviceText("use dropout").write_to(plain);
  EXPECT_FALSE(plain.contains("advice_parts"));
  EXPECT_EQ(AdviceText::read_from(plain).text(), "use dropout");
}

TEST(AdviceText, OfOlderFilesIsTextAndNonsenseIsRefused) {
  EXPECT_EQ(AdviceText::read_from({{"advice", "run `hone check DIR`"}}).text(calls),
            "run `hone check DIR`");
  const nlohmann::ordered_json wrong{{"advice", ""}, {"advice_parts", {{{"action", "fly"}}}}};
  EXPECT_THROW(AdviceText::read_from(wrong), Error);
}

TEST(AdviceText, OfEveryActionCanBeKept) {
  for (const Action action :
       {Action::correct, Action::larger_budget, Action::more_test_draws, Action::compare}) {
    nlohmann::ordered_json json;
    AdviceText(action, 7).write_to(json);
    EXPECT_EQ(AdviceText::read_from(json).text(), AdviceText(action, 7).text());
  }
}

}  // namespace
}  // namespace hone
