#include "hone/core/visible_text.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(VisibleText, LeavesOrdinaryTextAlone) {
  const std::string text = "θ₁ = 3 µm,\t\"日本語\" 🙂 \\ \n";
  EXPECT_EQ(visible_text(text), text);
}

TEST(VisibleText, ShowsControlCharactersInsteadOfObeyingThem) {
  EXPECT_EQ(visible_text("a\x1b[2Jb\r\a\x7f"), "a\\u001b[2Jb\\u000d\\u0007\\u007f");
  EXPECT_EQ(visible_text(std::string("\0x", 2)), "\\u0000x");
}

TEST(VisibleText, ShowsC1CodesAsCharactersAndAsBytes) {
  EXPECT_EQ(visible_text("\xc2\x9b"
                         "2J\xc2\x80\xc2\xa0"),
            "\\u009b2J\\u0080\xc2\xa0");
  EXPECT_EQ(visible_text("\x9b"
                         "2J\x80"),
            "\\x9b2J\\x80");
}

TEST(VisibleText, ShowsWhatTurnsTheDirectionOfWriting) {
  EXPECT_EQ(visible_text("\xe2\x80\xae"
                         "exe.txt"),
            "\\u202eexe.txt");
}

TEST(VisibleText, ShowsBytesThatAreNoCharacter) {
  EXPECT_EQ(visible_text("\xc0\x9b"), "\\xc0\\x9b") << "longer than it need be";
  EXPECT_EQ(visible_text("\xe0\x82\x9b"), "\\xe0\\x82\\x9b");
  EXPECT_EQ(visible_text("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a pair";
  EXPECT_EQ(visible_text("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond the last one";
  EXPECT_EQ(visible_text("ab\xe2\x82"), "ab\\xe2\\x82") << "cut";
}

TEST(VisibleText, AnyBytesBecomeTextThatStaysAsItIs) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string bytes{static_cast<char>(a), static_cast<char>(b), 'x'};
      const std::string shown = visible_text(bytes);
      EXPECT_EQ(visible_text(shown), shown);
      EXPECT_EQ(shown.find('\x1b'), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace hone
