#include "hone/files/json_text.h"

#include "files/test_files.h"

namespace hone {
namespace {

std::string nested(int levels) {
  const auto count = static_cast<std::size_t>(levels);
  return std::string(count, '[') + std::string(count, ']');
}

TEST(JsonText, IsReadUpToALimitOfNesting) {
  EXPECT_TRUE(parse_json(nested(kDeepestJson)).is_array());
  EXPECT_TRUE(try_parse_json(nested(kDeepestJson)));
  for (const int levels : {kDeepestJson + 1, 80000}) {
    EXPECT_TRUE(contains(error_text([&] { parse_json(nested(levels)); }), "nested deeper"));
    EXPECT_FALSE(try_parse_json<nlohmann::ordered_json>(nested(levels)));
  }
  std::string objects;
  for (int i = 0; i < 80000; ++i) objects += "{\"a\":";
  EXPECT_TRUE(contains(error_text([&] { parse_json(objects); }), "nested deeper"));
}

TEST(JsonText, BracketsInStringsAreNotNesting) {
  const std::string brackets(1000, '[');
  EXPECT_EQ(parse_json("\"" + brackets + "\"").get<std::string>(), brackets);
  EXPECT_EQ(parse_json("[\"\\\"" + brackets + "\", 3]").at(1), 3);
  EXPECT_EQ(parse_json("[\"\\\\\", \"" + brackets + "\"]").size(), 2u);
}

TEST(JsonText, ThatIsNoneIsRefused) {
  for (const char* text : {"", "[1", "\"\\", "]]]]", "{\"a\":}"}) {
    EXPECT_THROW(parse_json(text), nlohmann::json::exception) << text;
    EXPECT_FALSE(try_parse_json(text)) << text;
  }
}

}  // namespace
}  // namespace hone
