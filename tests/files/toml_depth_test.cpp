#include "hone/files/toml_depth.h"

#include <thread>

#include <pthread.h>

#include "files/test_files.h"
#include "hone/files/toml_file.h"

namespace hone {
namespace {

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

bool too_deep(const std::string& text) {
  return line_of_too_deep_toml(text, 32).has_value();
}

TEST(TomlDepth, CommentsAndStringsAreNotNesting) {
  const std::string dots(100, '.'), brackets(100, '[');
  for (const std::string& noise : {dots, brackets}) {
    for (const std::string& text :
         {"# " + noise + "\na = 1\n", "a = 1 # " + noise, "a = \"" + noise + "\"",
          "a = '" + noise + "'", "a = \"\\\"" + noise + "\"", "a = '\\' # " + noise,
          "a = \"\"\"\n" + noise + "\n\"\"\"\"\" # " + noise,
          "a = '''\n" + noise + "'" + noise + "'''", "\"" + noise + "\".b = 1",
          "[\"" + noise + "\"]\n"}) {
      EXPECT_FALSE(too_deep(text)) << text;
      EXPECT_NO_THROW(parse_toml(text, "f")) << text;
    }
  }
}

TEST(TomlDepth, NumbersAreNotKeys) {
  EXPECT_FALSE(too_deep("x = [" + repeated("1.5, ", 1000) + "1.5]\n"));
  EXPECT_FALSE(too_deep("x = [\n" + repeated("1.5,\n", 1000) + "]\n" + repeated("b = 2.5\n", 99)));
}

TEST(TomlDepth, LevelsOfKeysAndValuesCountTogether) {
  EXPECT_FALSE(too_deep("a" + repeated(".a", 31) + " = 1"));
  EXPECT_TRUE(too_deep("a" + repeated(".a", 33) + " = 1"));
  EXPECT_TRUE(too_deep("[a" + repeated(".a", 33) + "]"));
  EXPECT_TRUE(too_deep("a = " + repeated("[", 33)));
  EXPECT_TRUE(too_deep("a = " + repeated("{a.a.a = ", 12)));
  EXPECT_TRUE(too_deep("a = [" + repeated("{a = [", 17)));
  EXPECT_FALSE(too_deep(repeated("[[a.b.c]]\nd = {e = [1, 2]}\n", 100)));
}

TEST(TomlDepth, NamesTheLine) {
  EXPECT_EQ(line_of_too_deep_toml("a = 1\n\n# x\nb = " + repeated("[", 40), 32), 4);
  EXPECT_TRUE(contains(
      error_text([] { parse_toml("a = 1\nb = " + repeated("[", 40), "f"); }, ErrorKind::input),
      "f, line 2: values or keys nested deeper than 32 levels"));
}

// toml++ itself must not be reached with more levels than a small stack can bear.
void* read_hostile_files(void*) {
  for (const char* piece : {"[", "{a = ", "[{a.b = "}) {
    EXPECT_THROW(parse_toml("a = " + repeated(piece, 8000), "f"), Error);
  }
  EXPECT_THROW(parse_toml("a" + repeated(".a", 8000) + " = 1", "f"), Error);
  EXPECT_NO_THROW(parse_toml("a = " + repeated("[", 30) + repeated("]", 30), "f"));
  return nullptr;
}

TEST(TomlDepth, ASmallStackIsEnough) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &attributes, read_hostile_files, nullptr), 0);
  pthread_join(thread, nullptr);
}

}  // namespace
}  // namespace hone
