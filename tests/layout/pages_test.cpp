// What has a row in a table of the program is on the page that lists such things.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "files/test_files.h"
#include "hone/core/data_kinds.h"
#include "hone/export/sample_export.h"
#include "hone/prior/constraint_kinds.h"

namespace hone {
namespace {

// Those of the words that the page does not have as `word`, or in other marks.
std::vector<std::string> missing(const std::string& page, const std::vector<std::string>& words,
                                 const std::string& marked = "`{}`") {
  const std::string text = bytes_of(std::string(HONE_SOURCE_DIR) + "/" + page);
  EXPECT_FALSE(text.empty()) << page;
  std::vector<std::string> found;
  for (const std::string& word : words) {
    if (!contains(text, fmt::format(fmt::runtime(marked), word))) found.push_back(word);
  }
  return found;
}

const std::vector<std::string> kNone;

TEST(Pages, NameEveryKindOfData) {
  EXPECT_EQ(missing("docs/problem-file.md", data_kind_names(), "`\"{}\"`"), kNone);
}

TEST(Pages, NameEveryKindOfRegionConstraint) {
  EXPECT_EQ(missing("docs/run-directory.md", constraint_kinds()), kNone);
}

TEST(Pages, ShowEveryFormatOfSamples) {
  std::vector<std::string> formats;
  for (const ExportFormat& format : export_formats()) {
    if (format.name != "csv") formats.push_back(format.name);  // which needs no option
  }
  EXPECT_EQ(missing("docs/howto/samples.md", formats, "--format {}"), kNone);
}

// More words of its own than these a reader will not learn.
TEST(Pages, TheGlossaryHasAtMostADozenWords) {
  const std::string map = bytes_of(HONE_SOURCE_DIR "/src/hone/README.md");
  const std::size_t begin = map.find("| word | means |\n|---|---|\n");
  ASSERT_NE(begin, std::string::npos);
  const std::string words = map.substr(begin, map.find("\n\n", begin) - begin);
  const auto rows = std::ranges::count(words, '\n') - 1;
  EXPECT_GE(rows, 6);
  EXPECT_LE(rows, 12);
}

TEST(Pages, NegativeControlAWordThatIsNotThereIsMissing) {
  EXPECT_EQ(missing("docs/run-directory.md", {"half_spaces", "ball"}),
            std::vector<std::string>{"ball"});
}

}  // namespace
}  // namespace hone
