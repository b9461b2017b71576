// Files short enough to read in one sitting.
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

constexpr int kMostLines = 400;

// Longer files, each with its reason.
const std::map<std::string, std::string> kLonger = {
    {"src/hone/engine/kernels_isa.cpp",
     "compiled once per instruction set: all element-wise kernels in one translation unit"},
};

int lines_of(const fs::path& file) {
  std::ifstream stream(file);
  int lines = 0;
  for (std::string line; std::getline(stream, line);) ++lines;
  return lines;
}

TEST(Sizes, NoFileIsTooLongToReadInOneSitting) {
  const fs::path root = HONE_SOURCE_DIR;
  const std::set<std::string> endings{".h", ".cpp", ".c", ".py"};
  int files = 0;
  for (const char* top : {"src/hone", "cli", "python", "tests", "benchmarks", "scripts"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string ending = entry.path().extension().string();
      if (!endings.contains(ending)) continue;
      ++files;
      const std::string name = fs::relative(entry.path(), root).string();
      const int lines = lines_of(entry.path());
      if (kLonger.contains(name)) {
        EXPECT_GT(lines, kMostLines) << name << " needs no exception any more";
      } else {
        EXPECT_LE(lines, kMostLines) << name << " probably holds two ideas";
      }
    }
  }
  EXPECT_GT(files, 500);
}

}  // namespace
