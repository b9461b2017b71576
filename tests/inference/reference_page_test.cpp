#include <gtest/gtest.h>

#include "files/test_files.h"
#include "hone/inference/option_table.h"

namespace hone {
namespace {

TEST(ReferencePage, IsWhatTheOptionTableSays) {
  const std::string page = bytes_of(HONE_SOURCE_DIR "/docs/reference/options.md");
  EXPECT_TRUE(page == option_reference())
      << "out of date; run: build/hone options --markdown > docs/reference/options.md";
}

}  // namespace
}  // namespace hone
